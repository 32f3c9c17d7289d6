import { formatTime, isAfter, parseTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION } from '../../api/v1/groupversion.ts';
import { OF_MANY } from '../cluster-flags.ts';
import type { Command, Invocation } from '../command.ts';
import { cronJobs, withSession } from '../cron-jobs.ts';
import { startsOnResume } from '../report/missed.ts';
import { timeOf } from '../report/sentences.ts';
import { changeEach, targetsOf } from '../targets.ts';

const SKIP_MISSED = { name: 'skip-missed', description: 'Starts no run that was missed while suspended.', default: '' };

export const resumeCommand: Command = {
  name: 'resume',
  description:
    'Starts runs again, after a suspension or a pause. Of those missed while suspended the newest starts at once, if its deadline allows.',
  argument: { name: 'name', description: 'Name of the CronJob. Or give -l.', isOptional: true, values: 'cronJobs' },
  flags: [SKIP_MISSED, ...OF_MANY],
  examples: [
    { wish: 'go on', line: 'resume nightly-backup' },
    { wish: 'go on with the next run, not with one that was missed', line: 'resume nightly-backup --skip-missed' },
  ],
  run: (invocation) =>
    withSession(invocation, async (session) => {
      const { signal } = invocation;
      return await changeEach(await targetsOf(invocation, session), invocation, async (cronJob) => {
        const { body, said } = changeOf(cronJob, invocation);
        if (body !== undefined)
          await session.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, { signal });
        return said;
      });
    }),
};

interface Change {
  /** Absent: there is nothing to change. */
  readonly body?: object;
  readonly said: string;
}

function changeOf(cronJob: CronJob, { now, given }: Pick<Invocation, 'now' | 'given'>): Change {
  const { spec, status } = cronJob;
  const isUntil = isAhead(spec.suspendUntil, now);
  const isSuspended = spec.suspend || isUntil;
  if (!isSuspended)
    return status?.paused ? { body: asked(now), said: 'resumed' } : { said: 'is neither suspended nor paused' };
  const suspendUntil = given.has(SKIP_MISSED.name) ? formatTime(nextSecond(now)) : null;
  const lifted = { spec: { suspend: false, ...((isUntil || suspendUntil !== null) && { suspendUntil }) } };
  const body = { ...lifted, ...(status?.paused && asked(now)) };
  const missed = status?.paused || suspendUntil !== null ? undefined : startsOnResume(cronJob, now);
  return {
    body,
    said: missed ? `resumed; the run of ${timeOf(cronJob, missed)}, which it missed, starts now` : 'resumed',
  };
}

function isAhead(text: string | undefined, now: Date): boolean {
  const time = parseTime(text);
  return time !== undefined && isAfter(time, now);
}

/** The API has whole seconds. */
function nextSecond(now: Date): Date {
  return new Date((Math.floor(now.getTime() / 1000) + 1) * 1000);
}

/** The controller takes each new value of the annotation as a wish. */
function asked(now: Date): object {
  return { metadata: { annotations: { [RESUME_ANNOTATION]: now.toISOString() } } };
}
