/** Registers the webhooks of CronJobRuns. */
import type {
  AdmissionContext,
  CachedReader,
  Clock,
  FieldError,
  LiveReader,
  ValidationResult,
  WebhookRegistrar,
  Writer,
} from 'controller-runtime';
import { formatTime } from '../api/time.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { CronJobRun } from '../api/v1/cronjobrun-types.ts';
import { CREATED_BY_ANNOTATION, RUN_WEBHOOK_NAME } from '../api/v1/groupversion.ts';
import { withOverrides } from '../api/v1/run-overrides.ts';
import { withDefaults } from './cache-transforms.ts';
import { assessRun, type RefusalReason } from './cronjobrun/facts.ts';
import { createDryRunLimiter, type DryRunContext, dryRunJob } from './job-dry-run.ts';
import { cronJobs } from './resources.ts';

interface CronJobRunWebhookOptions {
  readonly client: Pick<CachedReader, 'get'> & Pick<Writer, 'create'>;
  readonly apiReader: Pick<LiveReader, 'get'>;
  readonly clock: Clock;
}

/** Registers the webhooks of CronJobRuns. `make manifests` also calls this function, to write config/webhook/manifests.yaml. */
export function setupCronJobRunWebhooksWithManager(
  webhooks: WebhookRegistrar,
  options: CronJobRunWebhookOptions,
): void {
  const { client, apiReader } = options;
  const dryRuns = { ...options, limiter: createDryRunLimiter() };
  webhooks.for(CronJobRun, {
    name: RUN_WEBHOOK_NAME,
    failurePolicy: 'Fail',
    // The dry run stores no Job.
    sideEffects: 'None',
    timeoutSeconds: 10,
    default: (run, { user }, old) => {
      const { [CREATED_BY_ANNOTATION]: _, ...annotations } = run.metadata.annotations ?? {};
      const createdBy = old === undefined ? user.username : old.metadata.annotations?.[CREATED_BY_ANNOTATION];
      const ownAnnotation = createdBy === undefined ? {} : { [CREATED_BY_ANNOTATION]: createdBy };
      return { ...run, metadata: { ...run.metadata, annotations: { ...annotations, ...ownAnnotation } } };
    },
    validateCreate: async (run, context) => {
      const { namespace = '', now, signal } = context;
      const key = { namespace, name: run.spec.cronJobName };
      const cronJob =
        (await client.get(cronJobs, key, { signal })) ??
        // Another manager may run the CronJob, or the CronJob may not be in the cache yet.
        (await apiReader.get(cronJobs, key, { signal, priority: 'background' }));
      return await validateRun(run, cronJob && withDefaults(cronJob), { ...dryRuns, ...context, now });
    },
  });
}

/** The field with the cause of a refusal. */
const REFUSED_FIELDS: Readonly<Partial<Record<RefusalReason, string>>> = {
  OverridesNotAllowed: 'spec.overrides',
  ScheduledTimeInFuture: 'spec.scheduledTime',
  InvalidSchedule: 'spec.cronJobName',
  TooManySlots: 'spec.backfill',
  NoSlots: 'spec.backfill',
};

type ValidationContext = DryRunContext & Pick<AdmissionContext, 'now'>;

async function validateRun(
  run: CronJobRun,
  cronJob: CronJob | undefined,
  context: ValidationContext,
): Promise<ValidationResult> {
  // The API server has not set all metadata yet.
  const metadata = { ...run.metadata, uid: run.metadata.uid ?? '', creationTimestamp: formatTime(context.now) };
  const { refusal } = assessRun({ run: { ...run, metadata }, cronJob, jobs: [] }, context.now);
  if (cronJob === undefined || refusal?.reason === 'CronJobDeleted')
    return { errors: [], warnings: [formatMissingWarning(run)] };
  const field = refusal && REFUSED_FIELDS[refusal.reason];
  if (field !== undefined) return { errors: [toFieldError(field, refusal?.message ?? '')], warnings: [] };
  const { overrides } = run.spec;
  if (overrides === undefined) return { errors: [], warnings: [] };
  const jobTemplate = withOverrides(cronJob.spec.jobTemplate, overrides);
  const { errors, warnings } = await dryRunJob({ ...cronJob, spec: { ...cronJob.spec, jobTemplate } }, context);
  const toOverrideError = (error: FieldError) => toFieldError('spec.overrides', `${error.field}: ${error.message}`);
  return { errors: errors.map(toOverrideError), warnings };
}

function formatMissingWarning({ spec }: CronJobRun): string {
  return `spec.cronJobName: there is no CronJob ${spec.cronJobName}; runs start if it is created within an hour`;
}

function toFieldError(field: string, message: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message };
}
