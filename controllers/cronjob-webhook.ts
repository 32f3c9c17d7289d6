/** The webhooks of CronJobs. The rules are in api/v1. job-dry-run.ts asks the API server about the Job template. */
import {
  type Clock,
  DEFAULT_TIMINGS,
  type FieldError,
  InvalidError,
  type WebhookRegistrar,
  type Writer,
} from 'controller-runtime';
import { defaultCronJob } from '../api/v1/cronjob-defaulting.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { isBeingDeleted, validateCronJob } from '../api/v1/cronjob-validation.ts';
import { cronJobWarnings } from '../api/v1/cronjob-warnings.ts';
import { WEBHOOK_NAME } from '../api/v1/groupversion.ts';
import { isChanged, isRecord, valueAt } from '../api/v1/raw-object.ts';
import { createDryRunLimiter, dryRunJob } from './job-dry-run.ts';
import { cronJobs } from './resources.ts';

interface CronJobWebhookOptions {
  /** Sends the dry runs of Jobs. */
  readonly client: Pick<Writer, 'create'>;
  readonly clock: Clock;
}

const FAILOVER_SECONDS = DEFAULT_TIMINGS.leaseDurationMs / 1000;

/**
 * Refuses what the CRD would refuse in the template, with a fix in the message: after the defaults the API server checks the
 * schema, and its message does not say what to write instead.
 */
function rejectInvalidTemplate(object: unknown, old: unknown): void {
  const errors = validateCronJob(object, old);
  const [first, ...others] = errors.some(isTemplateError) ? errors : [];
  if (first !== undefined) throw new InvalidError(first, ...others);
}

function isTemplateError({ field }: FieldError): boolean {
  return field.startsWith('spec.jobTemplate.');
}

/**
 * Whether the request changes the template. A dry run stores nothing, so it is also sent while suspended and for requests that are
 * dry runs.
 */
function needsDryRun(cronJob: CronJob, old: CronJob | undefined): boolean {
  const isTemplate = isRecord(valueAt(cronJob, 'spec', 'jobTemplate'));
  return isTemplate && !isBeingDeleted(cronJob) && isChanged(cronJob, old, 'spec', 'jobTemplate');
}

/** Registers the webhooks of CronJobs. `make manifests` writes config/webhook/manifests.yaml from this too. */
export function setupWebhooksWithManager(webhooks: WebhookRegistrar, options: CronJobWebhookOptions): void {
  const dryRuns = { ...options, limiter: createDryRunLimiter() };
  webhooks.for(cronJobs, {
    name: WEBHOOK_NAME,
    // Without the webhook, an invalid CronJob would fail later with a less clear message. Without a manager nothing runs anyway.
    failurePolicy: 'Fail',
    // The Job that the API server checks is a dry run and is never stored.
    sideEffects: 'None',
    timeoutSeconds: 10,
    default: (object, _, old) => {
      rejectInvalidTemplate(object, old);
      return defaultCronJob(object);
    },
    validate: async ({ object, old }, context) => {
      const errors = validateCronJob(object, old);
      const warnings = cronJobWarnings(object, { old, now: context.now, failoverSeconds: FAILOVER_SECONDS });
      if (!needsDryRun(object, old) || errors.some(isTemplateError)) return { errors, warnings };
      const job = await dryRunJob(object, { ...context, ...dryRuns });
      return { errors: [...errors, ...job.errors], warnings: [...warnings, ...job.warnings] };
    },
  });
}
