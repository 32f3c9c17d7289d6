/** All CronJobs are due at one minute, once. In `restart`, the controller is killed in the middle and restarted. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { countEvents } from '../../support/count-events.ts';
import type { ControllerProcess } from './controller-process.ts';
import { summarizeTimes } from './figures.ts';
import { addMs, BEFORE_MS, findFreeMinute, formatOnce, IDLE_MS } from './minutes.ts';
import type { Trial, TrialRun } from './run.ts';
import { type Bench, BenchSession, NAMESPACE } from './session.ts';
import { createSettledCheck } from './settled-check.ts';
import { MeasuredWindow } from './window.ts';

const KILL_AFTER_MS = 300;
const FIRST_LIMIT_MS = 60_000;
const LIMIT_PER_CRON_JOB_MS = 250;
const MAX_LIMIT_MS = 900_000;

export async function burst(bench: Bench, trial: Trial): Promise<TrialRun> {
  for (let patience = 1; ; patience *= 2) {
    const run = await tryMinute(bench, trial, patience);
    if (run !== undefined) return run;
    if (patience > 2)
      throw new Error(`${trial.count} CronJobs: the machine is too slow to create them before the minute`);
    bench.progress.note('not ready before the minute; retrying with twice the time');
  }
}

/** `undefined` when the CronJobs or the controller were not ready in time. */
async function tryMinute(bench: Bench, trial: Trial, patience: number): Promise<TrialRun | undefined> {
  const { count, scenario } = trial;
  const startedAt = new Date().toISOString();
  await using session = await BenchSession.open(bench, trial);
  const { observer } = session;
  const due = findFreeMinute(count, patience);
  await session.createCronJobs(count, formatOnce(due));
  const controller = await session.startController({ due, rawWork: 'burst' });
  await session.until(addMs(due, -BEFORE_MS), `the minute ${formatOnce(due)}`);
  if (observer.quietMs < IDLE_MS || Date.now() >= due.getTime()) return undefined;
  const idleMiB = session.usage().residentMiB;
  const window = await MeasuredWindow.open(session);
  const limitMs = Math.min(MAX_LIMIT_MS, FIRST_LIMIT_MS + count * LIMIT_PER_CRON_JOB_MS);
  const restarted = scenario === 'restart' ? restart(session, controller, limitMs) : undefined;
  restarted?.catch(() => {}); // awaited below
  const expected = { jobs: count, statuses: count, events: trial.driver === 'raw' ? 0 : count };
  await session.waitFor(
    `${count} Jobs and statuses, and the last event`,
    createSettledCheck(session, expected),
    limitMs,
  );
  const tick = observer.runTimes.computeTick(due, session.uids);
  const { figures, callsPerRun = {}, notes } = await window.close(tick.jobSeconds.length);
  const eventCounts = await countEvents(session.controlPlane.client, NAMESPACE);
  const restartedMs = await restarted;
  const last = tick.jobSeconds.at(-1) ?? Number.NaN;
  return {
    ...trial,
    startedAt,
    figures: {
      ...summarizeTimes(tick),
      ...(restartedMs === undefined ? {} : { restartToAll: last - (restartedMs - due.getTime()) / 1000 }),
      ...figures,
      idleMiB,
      jobs: observer.runTimes.jobCount,
      missed: tick.missed,
      doubled: Math.max(tick.doubled, observer.runTimes.jobCount - tick.jobSeconds.length),
      statusesMissing: count - tick.statusSeconds.length,
      eventsMissing: count - (eventCounts['SuccessfulCreate'] ?? 0),
    },
    callsPerRun,
    jobSeconds: tick.jobSeconds,
    statusSeconds: tick.statusSeconds,
    notes,
  };
}

/** Kills the controller a moment after the first Job and restarts it. Resolves to the time of the kill. Fails without a Job. */
async function restart(session: BenchSession, controller: ControllerProcess, limitMs: number): Promise<number> {
  const { observer, signal } = session;
  const created = new EventEmitter();
  observer.onJob = () => created.emit('job');
  await once(created, 'job', { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) });
  await sleep(KILL_AFTER_MS, undefined, { signal });
  await session.kill(controller);
  const restartedMs = Date.now();
  await session.startController();
  return restartedMs;
}
