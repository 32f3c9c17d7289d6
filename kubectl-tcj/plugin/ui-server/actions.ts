/**
 * Runs the actions of the page, which correspond to the commands `run`, `suspend`, `resume`, `retry` and `backfill`.
 */
import { formatKey, instant } from 'controller-runtime';
import type { CronJobRun } from '../../../api/v1/cronjobrun-types.ts';
import { toManualJobName, toRequestedJobName } from '../../../api/v1/job-names.ts';
import { valueAt } from '../../../api/v1/raw-object.ts';
import { CommandError } from '../command.ts';
import { type CreateContext, createCronJobRun, mayCreateCronJobRuns, type NewCronJobRun } from '../cron-job-runs.ts';
import { cronJobs } from '../cron-jobs.ts';
import { createBackfillRequest, PAGE_BACKFILL_SETTINGS } from '../report/backfill.ts';
import {
  type CronJobChange,
  createResumeChange,
  createRunRequest,
  createSuspendChange,
} from '../report/cron-job-changes.ts';
import { createOverrides, type Variable } from '../report/overrides.ts';
import { createRetryRequest } from '../report/retry.ts';
import { type CronJobInZone, capitalize } from '../report/sentences.ts';
import { prepareRetry } from '../runs/retried-run.ts';
import { SINGLE_RUN_TTL_SECONDS } from '../runs/single-run.ts';
import { HttpError } from './http-error.ts';
import type { ActionBodies, ActionResult } from './page-messages.ts';

/** The body of a request that is not validated yet. */
type RequestBody = Readonly<Record<string, unknown>>;

interface ActionContext extends Pick<CreateContext, 'session' | 'signal' | 'clock'> {
  readonly now: Date;
}

export function isAction(name: string): name is keyof ActionBodies {
  return Object.hasOwn(ACTION_HANDLERS, name);
}

/** Rejects with an HttpError for an invalid body. */
export async function performAction(
  action: keyof ActionBodies,
  cronJob: CronJobInZone,
  requestBody: RequestBody,
  context: ActionContext,
): Promise<ActionResult> {
  return await ACTION_HANDLERS[action](cronJob, requestBody, context);
}

type ActionHandler = (
  cronJob: CronJobInZone,
  requestBody: RequestBody,
  context: ActionContext,
) => Promise<ActionResult>;

const ACTION_HANDLERS: Readonly<Record<keyof ActionBodies, ActionHandler>> = {
  run: startRun,
  suspend: async (cronJob, { until }, context) =>
    await applyChange(cronJob, createSuspendChange(cronJob, parseUntil(until, context.now), context.now), context),
  resume: async (cronJob, { skipMissed }, context) => {
    if (typeof skipMissed !== 'boolean') throw new HttpError(400, 'skipMissed must be true or false.');
    return await applyChange(cronJob, createResumeChange(cronJob, skipMissed, context.now), context);
  },
  retry: retryRun,
  backfill: startBackfill,
};

async function applyChange(
  cronJob: CronJobInZone,
  { body, predicate }: CronJobChange,
  { session, signal }: ActionContext,
): Promise<ActionResult> {
  if (body !== undefined) await session.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, { signal });
  return { message: formatMessage(cronJob, predicate) };
}

function formatMessage(cronJob: CronJobInZone, predicate: string): string {
  return `${formatKey(cronJob)} ${predicate}.`;
}

async function startRun(
  cronJob: CronJobInZone,
  requestBody: RequestBody,
  context: ActionContext,
): Promise<ActionResult> {
  const { name: cronJobName, namespace } = cronJob.metadata;
  const request = createRunRequest(cronJob, context.now);
  if (request.kind === 'unobserved') throw new HttpError(409, request.message);
  const { predicate, note, annotationValue } = request;
  const overrides = parseOverrides(cronJob, requestBody);
  if (overrides !== undefined || (await mayCreateCronJobRuns(namespace, context))) {
    const ttlSecondsAfterFinished = SINGLE_RUN_TTL_SECONDS;
    const spec = { cronJobName, manual: {}, ...(overrides && { overrides }), ttlSecondsAfterFinished };
    const run = await createRun(cronJob, { purpose: 'run', spec }, context);
    return { message: formatMessage(cronJob, predicate), jobName: toRequestedJobName(run) };
  }
  const predicateWithNote = note === undefined ? predicate : `${predicate}; ${note}`;
  const result = await applyChange(cronJob, { ...request, predicate: predicateWithNote }, context);
  return { ...result, jobName: toManualJobName(cronJob, annotationValue) };
}

function parseOverrides(cronJob: CronJobInZone, { args, env }: RequestBody) {
  if (args !== undefined && !isArrayOf(args, isString)) throw new HttpError(400, 'args must be a list of texts.');
  if (env !== undefined && !isArrayOf(env, isVariable))
    throw new HttpError(400, 'env must be a list of objects with a name and a value.');
  const request = createOverrides(cronJob, { args, env });
  if (request.kind === 'invalid') throw new HttpError(409, toSentence(request.message));
  return request.overrides;
}

function isArrayOf<T>(value: unknown, isElement: (element: unknown) => element is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isElement);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isVariable(value: unknown): value is Variable {
  return isString(valueAt(value, 'name')) && isString(valueAt(value, 'value'));
}

async function retryRun(
  cronJob: CronJobInZone,
  { jobName }: RequestBody,
  context: ActionContext,
): Promise<ActionResult> {
  if (typeof jobName !== 'string') throw new HttpError(400, 'jobName must be the name of a Job.');
  const retry = createRetryRequest(cronJob, jobName);
  if (retry.kind === 'invalid') throw new HttpError(409, toSentence(retry.message));
  const { spec, note } = await prepareRetry(cronJob, retry, context);
  const ttlSecondsAfterFinished = SINGLE_RUN_TTL_SECONDS;
  const run = await createRun(cronJob, { purpose: 'retry', spec: { ...spec, ttlSecondsAfterFinished } }, context);
  const predicate = note === undefined ? retry.predicate : `${retry.predicate}; ${note}`;
  return { message: formatMessage(cronJob, predicate), jobName: toRequestedJobName(run, retry.slot) };
}

async function startBackfill(
  cronJob: CronJobInZone,
  { startTime, endTime, isReversed }: RequestBody,
  context: ActionContext,
): Promise<ActionResult> {
  if (typeof isReversed !== 'boolean') throw new HttpError(400, 'isReversed must be true or false.');
  const [start, end] = [parseInstant('startTime', startTime), parseInstant('endTime', endTime)];
  const options = { ...PAGE_BACKFILL_SETTINGS, start, end, order: isReversed ? 'NewestFirst' : 'OldestFirst' } as const;
  const request = createBackfillRequest(cronJob, options, context.now);
  if (request.kind === 'invalid') throw new HttpError(409, toSentence(request.message));
  const { metadata } = await createRun(cronJob, { purpose: 'backfill', spec: request.spec }, context);
  return { message: formatMessage(cronJob, `${request.predicate} (CronJobRun ${metadata.name})`) };
}

async function createRun(cronJob: CronJobInZone, run: NewCronJobRun, context: ActionContext): Promise<CronJobRun> {
  try {
    return await createCronJobRun(cronJob, run, context);
  } catch (error) {
    throw error instanceof CommandError ? new HttpError(409, toSentence(error.message)) : error;
  }
}

function toSentence(message: string): string {
  return `${capitalize(message)}.`;
}

function parseInstant(name: string, text: unknown): Date {
  const parsed = instant(typeof text === 'string' ? text : '');
  if (parsed.kind !== 'ok') throw new HttpError(400, `${name} must be a time such as 2026-11-23T06:00:00Z.`);
  return parsed.value;
}

function parseUntil(until: unknown, now: Date): Date | undefined {
  if (until === null) return undefined;
  const parsed = instant(typeof until === 'string' ? until : '');
  if (parsed.kind !== 'ok') throw new HttpError(400, 'until must be null or a time such as 2026-11-23T06:00:00Z.');
  if (parsed.value <= now) throw new HttpError(400, 'The time is in the past.', 'Use a future time.');
  // The API supports only whole seconds.
  return new Date(Math.ceil(parsed.value.getTime() / 1000) * 1000);
}
