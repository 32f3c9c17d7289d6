/** Registers the webhooks of CronJobs. The rules are in api/v1. */
import { type Clock, type FieldError, InvalidError, type WebhookRegistrar, type Writer } from 'controller-runtime';
import { DEFAULT_TIMINGS } from 'controller-runtime/internal';
import { defaultCronJob } from '../api/v1/cronjob-defaulting.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { isBeingDeleted, validateCronJob } from '../api/v1/cronjob-validation.ts';
import { getCronJobWarnings } from '../api/v1/cronjob-warnings.ts';
import { WEBHOOK_NAME } from '../api/v1/groupversion.ts';
import { isChanged, isRecord, valueAt } from '../api/v1/raw-object.ts';
import { createDryRunLimiter, dryRunJob } from './job-dry-run.ts';
import { cronJobs } from './resources.ts';

interface CronJobWebhookOptions {
  readonly client: Pick<Writer, 'create'>;
  readonly clock: Clock;
}

const FAILOVER_SECONDS = DEFAULT_TIMINGS.leaseDurationMs / 1000;

/** Refuses an invalid template before the API server checks the schema, because the message of the API server contains no fix. */
function rejectInvalidTemplate(object: unknown, oldObject: unknown): void {
  const errors = validateCronJob(object, oldObject);
  const [first, ...others] = errors.some(isTemplateError) ? errors : [];
  if (first !== undefined) throw new InvalidError(first, ...others);
}

function isTemplateError({ field }: FieldError): boolean {
  return field.startsWith('spec.jobTemplate.');
}

/** Even if the request for the CronJob is a dry run itself, the template needs a dry run of a Job. */
function needsDryRun(cronJob: CronJob, oldCronJob: CronJob | undefined): boolean {
  const hasTemplate = isRecord(valueAt(cronJob, 'spec', 'jobTemplate'));
  return hasTemplate && !isBeingDeleted(cronJob) && isChanged(cronJob, oldCronJob, 'spec', 'jobTemplate');
}

/** Registers the webhooks of CronJobs. `make manifests` also calls this function, to write config/webhook/manifests.yaml. */
export function setupWebhooksWithManager(webhooks: WebhookRegistrar, options: CronJobWebhookOptions): void {
  const dryRuns = { ...options, limiter: createDryRunLimiter() };
  webhooks.for(cronJobs, {
    name: WEBHOOK_NAME,
    // While no manager runs, no run can start, so it does no harm that the API server refuses CronJobs.
    failurePolicy: 'Fail',
    // The dry run stores no Job.
    sideEffects: 'None',
    timeoutSeconds: 10,
    default: (object, _, old) => {
      rejectInvalidTemplate(object, old);
      return defaultCronJob(object);
    },
    validate: async ({ object, old }, context) => {
      const errors = validateCronJob(object, old);
      const warnings = getCronJobWarnings(object, {
        oldCronJob: old,
        now: context.now,
        failoverSeconds: FAILOVER_SECONDS,
      });
      if (!needsDryRun(object, old) || errors.some(isTemplateError)) return { errors, warnings };
      const templateResult = await dryRunJob(object, { ...context, ...dryRuns });
      return { errors: [...errors, ...templateResult.errors], warnings: [...warnings, ...templateResult.warnings] };
    },
  });
}
