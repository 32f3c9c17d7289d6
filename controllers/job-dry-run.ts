/**
 * Asks the API server what it thinks of a jobTemplate: it knows the rules for Jobs, and the cluster's own, better than any copy of
 * them. The Job is made up and never stored.
 */
import {
  type AdmissionContext,
  AnswerTooLongError,
  ApiError,
  apiErrorOf,
  type Clock,
  type FieldError,
  isAlreadyExists,
  isInvalid,
  RequestLane,
  type StatusCause,
  type Verdict,
  type Writer,
  withTimeout,
} from 'controller-runtime';
import type { NewJob } from '../api/kubernetes.ts';
import { MAX_NAME_LENGTH } from '../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { validateJobTemplate } from '../api/v1/job-template-validation.ts';
import { isRecord, valueAt } from '../api/v1/raw-object.ts';
import { trialSpec } from './cronjob/new-job.ts';
import { messageOf } from './job-writer.ts';
import { jobs } from './resources.ts';

export interface DryRunContext extends Pick<AdmissionContext, 'namespace' | 'isCallerVerified' | 'signal' | 'log'> {
  readonly client: Pick<Writer, 'create'>;
  readonly clock: Clock;
  readonly lane: RequestLane;
}

/**
 * At most 16 dry runs are in flight, 4 of a namespace, and 16 wait: those that are turned away, and so unchecked, never fill the webhook
 * server while they wait for each other.
 */
export const dryRunLane = () => new RequestLane(21, 16);

/** Well under the 10 s that the API server waits for a webhook. */
const DRY_RUN_TIMEOUT_MS = 3000;
/** What comes back is read for its faults, and a template of 3 MiB may be answered with 50. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Refuses what the API server would refuse in every Job of the CronJob's template. Anything else that keeps a Job from being
 * created (rights, quotas, other webhooks, no answer in time) may be fixed before the first run is due, or be our own fault: it
 * becomes a warning, and so locks nobody out. Never rejects.
 *
 * The Job is of the namespace of the request: an object may name any. It is sent behind all that runs and their statuses need.
 */
export async function dryRunJob(cronJob: CronJob, context: DryRunContext): Promise<Verdict> {
  const { client, clock, log, signal, lane, namespace = '' } = context;
  const create = (limited: AbortSignal) =>
    lane.run({ namespace, signal: limited }, () =>
      client.create(jobs, jobOf(cronJob, namespace), {
        dryRun: true,
        priority: 'background',
        signal: limited,
        maxAnswerBytes: MAX_ANSWER_BYTES,
      }),
    );
  try {
    await withTimeout({ clock, timeoutMs: DRY_RUN_TIMEOUT_MS, signal }, create);
    return PASSED;
  } catch (error) {
    if (isYes(error)) return PASSED;
    const answer = answerOf(error, cronJob);
    if (answer !== undefined) return answer;
    log.info('could not check jobTemplate', { reason: short(messageOf(error)) });
    return {
      errors: validateJobTemplate(JOB_TEMPLATE, valueAt(cronJob, 'spec', 'jobTemplate')),
      warnings: [uncheckedWarning(error, context)],
    };
  }
}

/** Names are looked at last: up to there all was well. A long yes is the Job with all its defaults. */
function isYes(error: unknown): boolean {
  return isAlreadyExists(error) || (error instanceof AnswerTooLongError && error.code < 300);
}

/**
 * Quotas, policies and other webhooks answer the manager, and what they say is not for every Pod that asks. A person finds it out with
 * rights of their own.
 */
function uncheckedWarning(error: unknown, { isCallerVerified }: DryRunContext): string {
  const what = 'could not check spec.jobTemplate';
  const then = 'it is checked when the first Job is created';
  const isSecret = error instanceof ApiError && !isCallerVerified;
  if (!isSecret) return sentence(what, messageOf(error), then);
  const reason = `the API server answers ${error.code} ${error.reason}`.trimEnd();
  return sentence(what, reason, `${then}; create it with kubectl --dry-run=server to see why`);
}

const JOB_TEMPLATE = 'spec.jobTemplate';
const PASSED: Verdict = { errors: [], warnings: [] };

/** In the place of the ten digits that stand for a slot in the names of real Jobs: as long, and no slot's. */
const NO_SLOT = '0000000000';

/**
 * Without an owner reference, as there may be no owner yet, and where OwnerReferencesPermissionEnforcement is on one would ask for
 * rights that have nothing to do with the template.
 */
function jobOf(cronJob: CronJob, namespace: string): NewJob {
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
    spec: trialSpec(cronJob.spec, { cronJobName, jobName }),
  };
}

/** What `error` says about the template; `undefined` when it is about something else. */
function answerOf(error: unknown, cronJob: CronJob): Verdict | undefined {
  const fault = unreadableFault(error);
  if (fault !== undefined) {
    const message = `Invalid value: the API server cannot read it as a Job: ${fault}`;
    return { errors: [{ reason: 'FieldValueInvalid', field: JOB_TEMPLATE, message }], warnings: [] };
  }
  if (!isInvalid(error) || isOfWebhook(error)) return undefined;
  const causes = apiErrorOf(error)?.causes ?? [];
  const errors = causes.map((cause) => templateError(cause, cronJob)).filter((each) => each !== undefined);
  const warnings = causes
    .filter(({ field }) => field === 'metadata.name')
    .map(({ message = '' }) => nameWarning(message));
  return errors.length === 0 && warnings.length === 0 ? undefined : { errors, warnings };
}

/**
 * Texts that answers begin with, matched because nothing else tells them apart: whether a 400 is about a body that could not be
 * decoded, such as a quantity that is none, or about a webhook that knows no dry run; and whether a 422 is the API server's own or
 * that of a webhook, which may answer anything. test/envtest/webhook-validation.test.ts holds them against a real API server.
 */
const UNREADABLE = 'Job in version "v1" cannot be handled as a Job: ';
const OF_A_WEBHOOK = 'admission webhook ';

function unreadableFault(error: unknown): string | undefined {
  const { code, message = '' } = apiErrorOf(error) ?? {};
  return code === 400 && message.startsWith(UNREADABLE) ? message.slice(UNREADABLE.length) : undefined;
}

function isOfWebhook(error: unknown): boolean {
  return apiErrorOf(error)?.message.startsWith(OF_A_WEBHOOK) ?? false;
}

/** Not of causes without a field, which policies give, nor of the name and namespace, which are ours. */
function templateError(
  { reason = 'FieldValueInvalid', field = '', message = '' }: StatusCause,
  cronJob: CronJob,
): FieldError | undefined {
  if (!/^(spec|metadata\.(labels|annotations))(?![^.[])/.test(field)) return undefined;
  // A Job without labels gets those of its pods, which are told of at their own place.
  const labels = valueAt(cronJob, 'spec', 'jobTemplate', 'metadata', 'labels');
  const hasLabels = isRecord(labels) && Object.keys(labels).length > 0;
  if (field.startsWith('metadata.labels') && !hasLabels) return undefined;
  return { reason, field: `${JOB_TEMPLATE}.${field}`, message };
}

/** The real names are of the same form and length: where this one is refused, they are. */
function nameWarning(message: string): string {
  return sentence(
    'metadata.name: its Jobs would be refused for their names',
    message,
    'choose a shorter or plainer name',
  );
}

/** Together under the 256 characters that a warning may have. */
const MAX_REASON_LENGTH = 140;

function sentence(what: string, reason: string, fix: string): string {
  return `${what}: ${short(reason)}; ${fix}`;
}

function short(reason: string): string {
  return reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason;
}
