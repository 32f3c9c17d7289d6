/** Runs, suspends and resumes CronJobs for the page, as the commands `run`, `suspend` and `resume` do. */
import { formatKey, instant } from 'controller-runtime';
import { toManualJobName } from '../../../api/v1/job-names.ts';
import { cronJobs } from '../cron-jobs.ts';
import { type CronJobChange, createResumeChange, createRunRequest, createSuspendChange } from '../report/changes.ts';
import type { CronJobInZone } from '../report/sentences.ts';
import type { Session } from '../session.ts';
import { HttpError } from './http-error.ts';
import type { ActionBodies, ActionResult } from './messages.ts';

/** The body of a request before its validation. */
type RequestBody = Readonly<Record<string, unknown>>;

export function isAction(name: string): name is keyof ActionBodies {
  return Object.hasOwn(ACTION_HANDLERS, name);
}

/** Rejects with an HttpError for an invalid body. */
export async function performAction(
  action: keyof ActionBodies,
  cronJob: CronJobInZone,
  requestBody: RequestBody,
  { session, now, signal }: { readonly session: Session; readonly now: Date; readonly signal: AbortSignal },
): Promise<ActionResult> {
  const { body, predicate, jobName } = ACTION_HANDLERS[action](cronJob, requestBody, now);
  if (body !== undefined) await session.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, { signal });
  return { message: `${formatKey(cronJob)} ${predicate}.`, ...(jobName !== undefined && { jobName }) };
}

type ActionHandler = (
  cronJob: CronJobInZone,
  requestBody: RequestBody,
  now: Date,
) => CronJobChange & Pick<ActionResult, 'jobName'>;

const ACTION_HANDLERS: Readonly<Record<keyof ActionBodies, ActionHandler>> = {
  run: (cronJob, _requestBody, now) => {
    const request = createRunRequest(cronJob, now);
    if (request.kind === 'unobserved') throw new HttpError(409, request.message);
    const { body, predicate, note, annotationValue } = request;
    const predicateWithNote = note === undefined ? predicate : `${predicate}; ${note}`;
    return { body, predicate: predicateWithNote, jobName: toManualJobName(cronJob, annotationValue) };
  },
  suspend: (cronJob, { until }, now) => createSuspendChange(cronJob, parseUntil(until, now), now),
  resume: (cronJob, { skipMissed }, now) => {
    if (typeof skipMissed !== 'boolean') throw new HttpError(400, 'skipMissed must be true or false.');
    return createResumeChange(cronJob, skipMissed, now);
  },
};

function parseUntil(until: unknown, now: Date): Date | undefined {
  if (until === null) return undefined;
  const parsed = instant(typeof until === 'string' ? until : '');
  if (parsed.kind !== 'ok') throw new HttpError(400, 'until must be null or a time such as 2026-11-23T06:00:00Z.');
  if (parsed.value <= now) throw new HttpError(400, 'The time is in the past.', 'Use a future time.');
  // The API supports only whole seconds.
  return new Date(Math.ceil(parsed.value.getTime() / 1000) * 1000);
}
