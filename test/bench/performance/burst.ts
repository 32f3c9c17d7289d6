/** All CronJobs are due at one minute, once. In `restart`, the controller is killed in the middle and restarted. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventOccurrences } from '../../support/event-occurrences.ts';
import type { ControllerProcess } from './controller-process.ts';
import { timesOf } from './figures.ts';
import { after, BEFORE_MS, IDLE_MS, minuteWithRoom, onceAt } from './minutes.ts';
import type { Run, Trial } from './run.ts';
import { type Bench, NAMESPACE, Session } from './session.ts';
import { isSettled } from './settled.ts';
import { Window } from './window.ts';

const KILL_AFTER_MS = 300;
const FIRST_LIMIT_MS = 60_000;
const LIMIT_PER_CRON_JOB_MS = 250;
const LONGEST_LIMIT_MS = 900_000;

export async function burst(bench: Bench, trial: Trial): Promise<Run> {
  for (let patience = 1; ; patience *= 2) {
    const run = await oneMinute(bench, trial, patience);
    if (run !== undefined) return run;
    if (patience > 2) throw new Error(`${trial.count} CronJobs: the machine is too slow to be ready before the minute`);
    bench.progress.note('was not ready before the minute: once more with twice the time');
  }
}

/** `undefined` when the CronJobs or the controller were not ready in time. */
async function oneMinute(bench: Bench, trial: Trial, patience: number): Promise<Run | undefined> {
  const { count, scenario } = trial;
  const startedAt = new Date().toISOString();
  await using session = await Session.open(bench, trial);
  const { observer } = session;
  const due = minuteWithRoom(count, patience);
  await session.createCronJobs(count, onceAt(due));
  const controller = await session.startController({ due, rawWork: 'burst' });
  await session.until(after(due, -BEFORE_MS), `the minute ${onceAt(due)}`);
  if (observer.quietMs < IDLE_MS || Date.now() >= due.getTime()) return undefined;
  const idleMiB = session.usage().residentMiB;
  const window = await Window.open(session);
  const limitMs = Math.min(LONGEST_LIMIT_MS, FIRST_LIMIT_MS + count * LIMIT_PER_CRON_JOB_MS);
  const restarted = scenario === 'restart' ? restart(session, controller, limitMs) : undefined;
  restarted?.catch(() => {}); // awaited below
  const wanted = { jobs: count, statuses: count, events: trial.driver === 'raw' ? 0 : count };
  await session.waitFor(`${count} Jobs and statuses, and the last event`, isSettled(session, wanted), limitMs);
  const tick = observer.ledger.tick(due, session.uids);
  const { figures, callsPerRun = {}, notes } = await window.close(tick.jobSeconds.length);
  const told = await eventOccurrences(session.controlPlane.client, NAMESPACE);
  const restartedMs = await restarted;
  const last = tick.jobSeconds.at(-1) ?? Number.NaN;
  return {
    ...trial,
    startedAt,
    figures: {
      ...timesOf(tick),
      ...(restartedMs === undefined ? {} : { restartToAll: last - (restartedMs - due.getTime()) / 1000 }),
      ...figures,
      idleMiB,
      jobs: observer.ledger.jobCount,
      missed: tick.missed,
      doubled: Math.max(tick.doubled, observer.ledger.jobCount - tick.jobSeconds.length),
      statusesMissing: count - tick.statusSeconds.length,
      eventsMissing: count - (told['SuccessfulCreate'] ?? 0),
    },
    callsPerRun,
    jobSeconds: tick.jobSeconds,
    statusSeconds: tick.statusSeconds,
    notes,
  };
}

/** Kills the controller a moment after the first Job and restarts it. Resolves to the time of the kill. Fails without a Job. */
async function restart(session: Session, controller: ControllerProcess, limitMs: number): Promise<number> {
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
