/** Run, suspend and resume, as in the commands of these names. */
import { formatKey, instant } from 'controller-runtime';
import { runNowJobName } from '../../../api/v1/job-names.ts';
import { cronJobs } from '../cron-jobs.ts';
import { type CronJobChange, createResumeChange, createRunChange, createSuspendChange } from '../report/changes.ts';
import type { CronJobInZone } from '../report/sentences.ts';
import type { Session } from '../session.ts';
import type { Actions, Done } from './messages.ts';
import { Refusal } from './refusal.ts';

/** The unchecked body. */
type Body = Readonly<Record<string, unknown>>;

export function isAction(name: string): name is keyof Actions {
  return Object.hasOwn(ACTIONS, name);
}

/** Throws a Refusal for an invalid body. */
export async function act(
  action: keyof Actions,
  cronJob: CronJobInZone,
  given: Body,
  { session, now, signal }: { readonly session: Session; readonly now: Date; readonly signal: AbortSignal },
): Promise<Done> {
  const { body, sentence, jobName } = ACTIONS[action](cronJob, given, now);
  if (body !== undefined) await session.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, { signal });
  return { message: `${formatKey(cronJob)} ${sentence}.`, ...(jobName !== undefined && { jobName }) };
}

type Act = (cronJob: CronJobInZone, given: Body, now: Date) => CronJobChange & Pick<Done, 'jobName'>;

const ACTIONS: Readonly<Record<keyof Actions, Act>> = {
  run: (cronJob, _given, now) => {
    const change = createRunChange(cronJob, now);
    if (change.kind === 'unobserved') throw new Refusal(409, change.message);
    const { body, sentence, note, value } = change;
    const whole = note === undefined ? sentence : `${sentence}; ${note}`;
    return { body, sentence: whole, jobName: runNowJobName(cronJob, value) };
  },
  suspend: (cronJob, { until }, now) => createSuspendChange(cronJob, parseUntil(until, now), now),
  resume: (cronJob, { skipMissed }, now) => {
    if (typeof skipMissed !== 'boolean') throw new Refusal(400, 'skipMissed must be true or false.');
    return createResumeChange(cronJob, skipMissed, now);
  },
};

function parseUntil(until: unknown, now: Date): Date | undefined {
  if (until === null) return undefined;
  const parsed = instant(typeof until === 'string' ? until : '');
  if (parsed.kind !== 'ok') throw new Refusal(400, 'until must be null or a time such as 2026-11-23T06:00:00Z.');
  if (parsed.value <= now) throw new Refusal(400, 'The time is in the past.', 'Use a future time.');
  // Whole seconds, as in the API.
  return new Date(Math.ceil(parsed.value.getTime() / 1000) * 1000);
}
