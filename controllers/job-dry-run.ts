/**
 * Validates a jobTemplate with a dry run on the API server, which knows the rules for Jobs, and the rules of the cluster, better
 * than a copy of them would. The Job is never stored.
 */
import {
  type AdmissionContext,
  ApiError,
  type Clock,
  type FieldError,
  findApiError,
  isAlreadyExists,
  isInvalid,
  RequestLimiter,
  ResponseTooLargeError,
  type StatusCause,
  type ValidationResult,
  type Writer,
  withTimeout,
} from 'controller-runtime';
import type { NewJob } from '../api/kubernetes.ts';
import { MAX_NAME_LENGTH } from '../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { validateJobTemplate } from '../api/v1/job-template-validation.ts';
import { isRecord, valueAt } from '../api/v1/raw-object.ts';
import { dryRunJobSpec } from './cronjob/new-job.ts';
import { errorMessage } from './job-writer.ts';
import { jobs } from './resources.ts';

export interface DryRunContext extends Pick<AdmissionContext, 'namespace' | 'isCallerVerified' | 'signal' | 'log'> {
  readonly client: Pick<Writer, 'create'>;
  readonly clock: Clock;
  readonly limiter: RequestLimiter;
}

/**
 * At most 16 dry runs are in flight, 4 per namespace, and 16 wait. The rest are rejected and so unchecked, so that dry runs never
 * fill the webhook server while they wait for each other.
 */
export const createDryRunLimiter = () => new RequestLimiter(21, 16);

/** Well under the 10 s that the API server waits for a webhook. */
const DRY_RUN_TIMEOUT_MS = 3000;
/** The response is parsed for errors, and the response to a template of 3 MiB may have 50. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Refuses what the API server would refuse in every Job of the CronJob's template. Anything else that prevents the create of a Job
 * (rights, quotas, other webhooks, a timeout) may be fixed before the first run is due, or be an error of ours: it becomes a
 * warning, and so blocks no user. Never rejects.
 *
 * The Job is of the namespace of the request: an object may name any. It is sent behind all that runs and their statuses need.
 */
export async function dryRunJob(cronJob: CronJob, context: DryRunContext): Promise<ValidationResult> {
  const { client, clock, log, signal, limiter, namespace = '' } = context;
  const create = (limited: AbortSignal) =>
    limiter.run({ namespace, signal: limited }, () =>
      client.create(jobs, buildDryRunJob(cronJob, namespace), {
        dryRun: true,
        priority: 'background',
        signal: limited,
        maxResponseBytes: MAX_ANSWER_BYTES,
      }),
    );
  try {
    await withTimeout({ clock, timeoutMs: DRY_RUN_TIMEOUT_MS, signal }, create);
    return PASSED;
  } catch (error) {
    if (wasAccepted(error)) return PASSED;
    const verdict = interpretError(error, cronJob);
    if (verdict !== undefined) return verdict;
    log.info('could not check jobTemplate', { reason: short(errorMessage(error)) });
    return {
      errors: validateJobTemplate(JOB_TEMPLATE, valueAt(cronJob, 'spec', 'jobTemplate')),
      warnings: [uncheckedWarning(error, context)],
    };
  }
}

/**
 * Whether the response accepts the Job. The API server checks names last, so an error about the name means that the rest is valid.
 * A response that is too long is the accepted Job with all its defaults.
 */
function wasAccepted(error: unknown): boolean {
  return isAlreadyExists(error) || (error instanceof ResponseTooLargeError && error.code < 300);
}

/**
 * Quotas, policies and other webhooks respond to the manager, and their messages are not meant for every Pod that sends a request.
 * A user can read them with the user's own rights.
 */
function uncheckedWarning(error: unknown, { isCallerVerified }: DryRunContext): string {
  const problem = 'could not check spec.jobTemplate';
  const consequence = 'it is checked when the first Job is created';
  const isConfidential = error instanceof ApiError && !isCallerVerified;
  if (!isConfidential) return sentence(problem, errorMessage(error), consequence);
  const reason = `the API server answers ${error.code} ${error.reason}`.trimEnd();
  return sentence(problem, reason, `${consequence}; create it with kubectl --dry-run=server to see why`);
}

const JOB_TEMPLATE = 'spec.jobTemplate';
const PASSED: ValidationResult = { errors: [], warnings: [] };

/** Replaces the ten digits of a slot in the names of real Jobs: it has the same length, and no slot has this value. */
const NO_SLOT = '0000000000';

/**
 * Without an owner reference: the owner may not exist yet, and with OwnerReferencesPermissionEnforcement a reference would need
 * rights that have nothing to do with the template.
 */
function buildDryRunJob(cronJob: CronJob, namespace: string): NewJob {
  const name = valueAt(cronJob, 'metadata', 'name');
  const cronJobName = typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : 'cronjob';
  const jobName = `${cronJobName}-${NO_SLOT}`;
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
    spec: dryRunJobSpec(cronJob.spec, { cronJobName, jobName }),
  };
}

/** What `error` says about the template; `undefined` when the error is about something else. */
function interpretError(error: unknown, cronJob: CronJob): ValidationResult | undefined {
  const reason = unreadableReason(error);
  if (reason !== undefined) {
    const message = `Invalid value: the API server cannot read it as a Job: ${reason}`;
    return { errors: [{ reason: 'FieldValueInvalid', field: JOB_TEMPLATE, message }], warnings: [] };
  }
  if (!isInvalid(error) || isWebhookError(error)) return undefined;
  const causes = findApiError(error)?.causes ?? [];
  const errors = causes.map((cause) => templateError(cause, cronJob)).filter((each) => each !== undefined);
  const warnings = causes
    .filter(({ field }) => field === 'metadata.name')
    .map(({ message = '' }) => nameWarning(message));
  return errors.length === 0 && warnings.length === 0 ? undefined : { errors, warnings };
}

/**
 * Prefixes of messages, matched because only the text distinguishes these cases. A 400 is about a body that could not be decoded,
 * such as an invalid quantity, or about a webhook that does not support dry runs. A 422 comes from the API server or from a
 * webhook, which may respond with any text. test/envtest/webhook-validation.test.ts compares them with a real API server.
 */
const UNREADABLE_PREFIX = 'Job in version "v1" cannot be handled as a Job: ';
const WEBHOOK_PREFIX = 'admission webhook ';

function unreadableReason(error: unknown): string | undefined {
  const { code, message = '' } = findApiError(error) ?? {};
  return code === 400 && message.startsWith(UNREADABLE_PREFIX) ? message.slice(UNREADABLE_PREFIX.length) : undefined;
}

function isWebhookError(error: unknown): boolean {
  return findApiError(error)?.message.startsWith(WEBHOOK_PREFIX) ?? false;
}

/** Skips causes without a field, which come from policies, and the name and namespace, which the dry run chose. */
function templateError(
  { reason = 'FieldValueInvalid', field = '', message = '' }: StatusCause,
  cronJob: CronJob,
): FieldError | undefined {
  if (!/^(spec|metadata\.(labels|annotations))(?![^.[])/.test(field)) return undefined;
  // A Job without labels gets the labels of its Pods, which have their own error.
  const labels = valueAt(cronJob, 'spec', 'jobTemplate', 'metadata', 'labels');
  const hasLabels = isRecord(labels) && Object.keys(labels).length > 0;
  if (field.startsWith('metadata.labels') && !hasLabels) return undefined;
  return { reason, field: `${JOB_TEMPLATE}.${field}`, message };
}

/** The real names have the same form and length: if this name is refused, they are too. */
function nameWarning(message: string): string {
  return sentence(
    'metadata.name: its Jobs would be refused for their names',
    message,
    'choose a shorter or plainer name',
  );
}

/** With the rest of the warning, this stays below the 256 characters that a warning may have. */
const MAX_REASON_LENGTH = 140;

function sentence(what: string, reason: string, fix: string): string {
  return `${what}: ${short(reason)}; ${fix}`;
}

function short(reason: string): string {
  return reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason;
}
