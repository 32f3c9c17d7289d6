/** Validates a jobTemplate: creates a Job as a dry run, so that the API server applies its own rules for Jobs. */
import {
  type AdmissionContext,
  ApiError,
  type Clock,
  type FieldError,
  findApiError,
  isAlreadyExists,
  isInvalid,
  ResponseTooLargeError,
  type StatusCause,
  type ValidationResult,
  type Writer,
} from 'controller-runtime';
import { RequestLimiter, withTimeout } from 'controller-runtime/internal';
import type { NewJob } from '../api/kubernetes.ts';
import { MAX_NAME_LENGTH } from '../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { validateJobTemplate } from '../api/v1/job-template-validation.ts';
import { isRecord, valueAt } from '../api/v1/raw-object.ts';
import { buildDryRunJobSpec } from './cronjob/new-job.ts';
import { getErrorMessage } from './job-writer.ts';
import { jobs } from './resources.ts';

export interface DryRunContext extends Pick<AdmissionContext, 'namespace' | 'isCallerVerified' | 'signal' | 'log'> {
  readonly client: Pick<Writer, 'create'>;
  readonly clock: Clock;
  readonly limiter: RequestLimiter;
}

/**
 * At most 16 dry runs are in flight, at most 4 of them in one namespace, and at most 16 wait. Further templates are not
 * checked.
 */
export const createDryRunLimiter = () => new RequestLimiter(21, 16);

/** The dry run must be short, because the API server waits only 10 s for the webhook. */
const DRY_RUN_TIMEOUT_MS = 3000;
/** A response may be much larger than the template, because the response lists each error. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * Returns errors for a template whose Jobs the API server would always refuse. Other problems, such as quotas, other webhooks or a
 * timeout, become warnings, because a user may fix them before the first run. Never rejects.
 */
export async function dryRunJob(cronJob: CronJob, context: DryRunContext): Promise<ValidationResult> {
  const { client, clock, log, signal, limiter, namespace = '' } = context;
  const create = (limitedSignal: AbortSignal) =>
    limiter.run({ namespace, signal: limitedSignal }, () =>
      client.create(jobs, buildDryRunJob(cronJob, namespace), {
        dryRun: true,
        priority: 'background',
        signal: limitedSignal,
        maxResponseBytes: MAX_RESPONSE_BYTES,
      }),
    );
  try {
    await withTimeout({ clock, timeoutMs: DRY_RUN_TIMEOUT_MS, signal }, create);
    return VALID_RESULT;
  } catch (error) {
    if (wasAccepted(error)) return VALID_RESULT;
    const templateResult = interpretError(error, cronJob);
    if (templateResult !== undefined) return templateResult;
    log.info('could not check jobTemplate', { reason: truncateReason(getErrorMessage(error)) });
    return {
      errors: validateJobTemplate(JOB_TEMPLATE_FIELD, valueAt(cronJob, 'spec', 'jobTemplate')),
      warnings: [formatUncheckedWarning(error, context)],
    };
  }
}

/**
 * The API server checks the name last, so a name that already exists means that the template is valid. A successful response that
 * is too large also means that the template is valid.
 */
function wasAccepted(error: unknown): boolean {
  return isAlreadyExists(error) || (error instanceof ResponseTooLargeError && error.code < 300);
}

/**
 * The manager sends the dry run with its own permissions, so messages of quotas, policies and other webhooks may be
 * confidential. Only a verified caller gets the messages. Other callers can send a dry run with their own permissions.
 */
function formatUncheckedWarning(error: unknown, { isCallerVerified }: DryRunContext): string {
  const problem = 'could not check spec.jobTemplate';
  const consequence = 'it is checked when the first Job is created';
  const isConfidential = error instanceof ApiError && !isCallerVerified;
  if (!isConfidential) return formatWarning(problem, getErrorMessage(error), consequence);
  const reason = `the API server answers ${error.code} ${error.reason}`.trimEnd();
  return formatWarning(problem, reason, `${consequence}; create it with kubectl --dry-run=server to see why`);
}

const JOB_TEMPLATE_FIELD = 'spec.jobTemplate';
const VALID_RESULT: ValidationResult = { errors: [], warnings: [] };

/** The end of the name of the dry-run Job. The names of real Jobs also end in ten digits, but no slot has this value. */
const DRY_RUN_NAME_SUFFIX = '0000000000';

/** The Job has no owner reference, because the CronJob may not exist yet. */
function buildDryRunJob(cronJob: CronJob, namespace: string): NewJob {
  const name = valueAt(cronJob, 'metadata', 'name');
  const cronJobName = typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : 'cronjob';
  const jobName = `${cronJobName}-${DRY_RUN_NAME_SUFFIX}`;
  const { metadata } = cronJob.spec.jobTemplate;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName,
      namespace,
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      ...(metadata?.annotations ? { annotations: metadata.annotations } : {}),
    },
    spec: buildDryRunJobSpec(cronJob.spec, { cronJobName, jobName }),
  };
}

/** Returns the errors and warnings about the template, or `undefined` if the error has another cause. */
function interpretError(error: unknown, cronJob: CronJob): ValidationResult | undefined {
  const reason = findUnreadableReason(error);
  if (reason !== undefined) {
    const message = `Invalid value: the API server cannot read it as a Job: ${reason}`;
    return { errors: [{ reason: 'FieldValueInvalid', field: JOB_TEMPLATE_FIELD, message }], warnings: [] };
  }
  if (!isInvalid(error) || isWebhookError(error)) return undefined;
  const causes = findApiError(error)?.causes ?? [];
  const errors = causes.map((cause) => toTemplateError(cause, cronJob)).filter((each) => each !== undefined);
  const warnings = causes
    .filter(({ field }) => field === 'metadata.name')
    .map(({ message = '' }) => formatNameWarning(message));
  return errors.length === 0 && warnings.length === 0 ? undefined : { errors, warnings };
}

/**
 * Only the message shows whether an error comes from the API server or from a webhook. test/envtest/webhook-validation.test.ts
 * checks the prefixes against a real API server.
 */
const UNREADABLE_PREFIX = 'Job in version "v1" cannot be handled as a Job: ';
const WEBHOOK_PREFIX = 'admission webhook ';

function findUnreadableReason(error: unknown): string | undefined {
  const { code, message = '' } = findApiError(error) ?? {};
  return code === 400 && message.startsWith(UNREADABLE_PREFIX) ? message.slice(UNREADABLE_PREFIX.length) : undefined;
}

function isWebhookError(error: unknown): boolean {
  return findApiError(error)?.message.startsWith(WEBHOOK_PREFIX) ?? false;
}

/** Skips causes without a field, which come from policies, and causes about the name and namespace of the dry run. */
function toTemplateError(
  { reason = 'FieldValueInvalid', field = '', message = '' }: StatusCause,
  cronJob: CronJob,
): FieldError | undefined {
  if (!/^(spec|metadata\.(labels|annotations))(?![^.[])/.test(field)) return undefined;
  // The API server copies the labels of the Pod template to a Job without labels. Another cause reports their faults in
  // the template.
  const labels = valueAt(cronJob, 'spec', 'jobTemplate', 'metadata', 'labels');
  const hasLabels = isRecord(labels) && Object.keys(labels).length > 0;
  if (field.startsWith('metadata.labels') && !hasLabels) return undefined;
  return { reason, field: `${JOB_TEMPLATE_FIELD}.${field}`, message };
}

/** The API server also refuses the names of real Jobs, because the name of the dry run has the same form and length. */
function formatNameWarning(message: string): string {
  return formatWarning(
    'metadata.name: the API server would refuse the names of its Jobs',
    message,
    'choose a shorter or plainer name',
  );
}

/** Keeps warnings below 256 characters, the maximum length. */
const MAX_REASON_LENGTH = 140;

function formatWarning(problem: string, reason: string, fix: string): string {
  return `${problem}: ${truncateReason(reason)}; ${fix}`;
}

function truncateReason(reason: string): string {
  return reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason;
}
