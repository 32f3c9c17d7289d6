/** All CronJobs are due every minute, Jobs complete after two seconds, and each CronJob keeps one finished Job. */
import { eventOccurrences } from '../../support/event-occurrences.ts';
import { timesOf } from './figures.ts';
import { completeJobs } from './finisher.ts';
import { after, BEFORE_MS, IDLE_MS, minuteWithRoom } from './minutes.ts';
import type { Run, Trial } from './run.ts';
import { type Bench, NAMESPACE, Session } from './session.ts';
import { isSettled } from './settled.ts';
import { Window } from './window.ts';

const TICKS = 3;
const MINUTE_MS = 60_000;
const HISTORY_LIMIT = 1;
/** With more CronJobs, the first would be due before the last one is created. */
const MOST_CRON_JOBS = 2_500;
/** Limit in the minute after the last tick: the next tick must not begin. */
const LAST_LIMIT_MS = 52_000;

export async function steady(bench: Bench, trial: Trial): Promise<Run> {
  const { count } = trial;
  if (count > MOST_CRON_JOBS) throw new Error(`steady: give at most ${MOST_CRON_JOBS} CronJobs`);
  const startedAt = new Date().toISOString();
  await using session = await Session.open(bench, trial);
  const { observer } = session;
  const notes: string[] = [];
  await using finisher = completeJobs(session);
  // Created right after a full minute, so that there is no full minute between the creation and the first tick.
  const first = minuteWithRoom(count);
  await session.until(after(first, -MINUTE_MS + 500), 'the begin of a minute');
  await session.createCronJobs(count, '* * * * *', HISTORY_LIMIT);
  await session.startController();
  await session.until(after(first, -BEFORE_MS), 'the first tick');
  if (observer.quietMs < IDLE_MS) notes.push('the controller was still busy before the first tick');
  const idleMiB = session.usage().residentMiB;
  const window = await Window.open(session);
  const ticks = Array.from({ length: TICKS }, (_, index) => after(first, index * MINUTE_MS));
  await session.until(after(first, (TICKS - 1) * MINUTE_MS + 2_000), `${TICKS} ticks`);
  const wanted = { jobs: TICKS * count, statuses: TICKS * count, events: TICKS * count };
  await session.waitFor('the last Jobs to complete', isSettled(session, wanted), LAST_LIMIT_MS);
  const measured = await window.close(observer.ledger.jobCount);
  const told = await eventOccurrences(session.controlPlane.client, NAMESPACE);
  const seen = ticks.map((due) => observer.ledger.tick(due, session.uids));
  const jobSeconds = seen.flatMap((tick) => tick.jobSeconds).toSorted((left, right) => left - right);
  const statusSeconds = seen.flatMap((tick) => tick.statusSeconds).toSorted((left, right) => left - right);
  return {
    ...trial,
    startedAt,
    figures: {
      ...timesOf({ jobSeconds, statusSeconds }),
      ...measured.figures,
      idleMiB,
      jobs: observer.ledger.jobCount,
      missed: seen.reduce((sum, { missed }) => sum + missed, 0),
      doubled: observer.ledger.jobCount - jobSeconds.length,
      statusesMissing: TICKS * count - statusSeconds.length,
      eventsMissing: TICKS * count - (told['SuccessfulCreate'] ?? 0),
      jobsLeft: observer.liveJobs,
    },
    callsPerRun: measured.callsPerRun ?? {},
    notes: [...notes, ...measured.notes, ...finisher.notes()],
  };
}
