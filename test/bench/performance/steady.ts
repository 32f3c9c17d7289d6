/** All CronJobs are due every minute, Jobs complete after two seconds, and each CronJob keeps one finished Job. */
import { countEvents } from '../../support/count-events.ts';
import { summarizeTimes } from './figures.ts';
import { completeJobs } from './job-completer.ts';
import { addMs, BEFORE_MS, findFreeMinute, IDLE_MS } from './minutes.ts';
import type { Trial, TrialRun } from './run.ts';
import { type Bench, BenchSession, NAMESPACE } from './session.ts';
import { createSettledCheck } from './settled-check.ts';
import { MeasuredWindow } from './window.ts';

const TICKS = 3;
const MINUTE_MS = 60_000;
const HISTORY_LIMIT = 1;
/** With more CronJobs, the first would be due before the last one is created. */
const MAX_CRON_JOBS = 2_500;
/** Limit in the minute after the last tick: the next tick must not begin. */
const LAST_LIMIT_MS = 52_000;

export async function steady(bench: Bench, trial: Trial): Promise<TrialRun> {
  const { count } = trial;
  if (count > MAX_CRON_JOBS) throw new Error(`steady: give at most ${MAX_CRON_JOBS} CronJobs`);
  const startedAt = new Date().toISOString();
  await using session = await BenchSession.open(bench, trial);
  const { observer } = session;
  const notes: string[] = [];
  await using finisher = completeJobs(session);
  // Created right after a full minute, so that there is no full minute between the creation and the first tick.
  const first = findFreeMinute(count);
  await session.until(addMs(first, -MINUTE_MS + 500), 'the begin of a minute');
  await session.createCronJobs(count, '* * * * *', HISTORY_LIMIT);
  await session.startController();
  await session.until(addMs(first, -BEFORE_MS), 'the first tick');
  if (observer.quietMs < IDLE_MS) notes.push('the controller was still busy before the first tick');
  const idleMiB = session.usage().residentMiB;
  const window = await MeasuredWindow.open(session);
  const dueTimes = Array.from({ length: TICKS }, (_, index) => addMs(first, index * MINUTE_MS));
  await session.until(addMs(first, (TICKS - 1) * MINUTE_MS + 2_000), `${TICKS} ticks`);
  const expected = { jobs: TICKS * count, statuses: TICKS * count, events: TICKS * count };
  await session.waitFor('the last Jobs to complete', createSettledCheck(session, expected), LAST_LIMIT_MS);
  const measured = await window.close(observer.runTimes.jobCount);
  const eventCounts = await countEvents(session.controlPlane.client, NAMESPACE);
  const ticks = dueTimes.map((due) => observer.runTimes.computeTick(due, session.uids));
  const jobSeconds = ticks.flatMap((tick) => tick.jobSeconds).toSorted((left, right) => left - right);
  const statusSeconds = ticks.flatMap((tick) => tick.statusSeconds).toSorted((left, right) => left - right);
  return {
    ...trial,
    startedAt,
    figures: {
      ...summarizeTimes({ jobSeconds, statusSeconds }),
      ...measured.figures,
      idleMiB,
      jobs: observer.runTimes.jobCount,
      missed: ticks.reduce((sum, { missed }) => sum + missed, 0),
      doubled: observer.runTimes.jobCount - jobSeconds.length,
      statusesMissing: TICKS * count - statusSeconds.length,
      eventsMissing: TICKS * count - (eventCounts['SuccessfulCreate'] ?? 0),
      jobsLeft: observer.liveJobs,
    },
    callsPerRun: measured.callsPerRun ?? {},
    notes: [...notes, ...measured.notes, ...finisher.notes()],
  };
}
