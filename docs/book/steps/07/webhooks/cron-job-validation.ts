/** The validating webhook of the kind CronJob, for rules that the schema cannot express. */
import { type Change, type FieldError, invalid, type WebhookRegistrar } from 'controller-runtime';
import { parseSchedule } from 'kubernetes-cron-schedule';
import { CronJob } from '../api/v1/cron-job-types.ts';

/** The name of a Job has at most 63 characters, and ends with a dash and ten digits. */
const MAX_NAME_LENGTH = 63 - 11;

export function addCronJobValidation(webhooks: WebhookRegistrar): void {
  webhooks.for(CronJob, { validate: validateCronJob });
}

export function validateCronJob({ object: { metadata, spec } }: Pick<Change<CronJob>, 'object'>): FieldError[] {
  const errors: FieldError[] = [];
  if (metadata.name.length > MAX_NAME_LENGTH)
    errors.push(invalid('metadata.name', metadata.name, `must be no more than ${MAX_NAME_LENGTH} characters`));
  const schedule = parseSchedule(spec.schedule);
  if (schedule.kind === 'invalid') errors.push(invalid('spec.schedule', spec.schedule, schedule.message));
  return errors;
}
