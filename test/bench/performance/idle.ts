/** Scenarios without due CronJobs: what a controller costs all day, and how long it takes to start. */
import { setTimeout as sleep } from 'node:timers/promises';
import { computeMedian } from './figures.ts';
import { formatNotDue } from './minutes.ts';
import type { Trial, TrialRun } from './run.ts';
import { type Bench, BenchSession } from './session.ts';

const SETTLE_MS = 10_000;
const SETTLE_LIMIT_MS = 300_000;
const IDLE_MS = 30_000;
const STARTS = 3;

/** CPU over half a minute and resident memory. */
export async function idle(bench: Bench, trial: Trial): Promise<TrialRun> {
  const startedAt = new Date().toISOString();
  await using session = await openSettledSession(bench, trial);
  const begin = session.usage();
  const step = session.step(`idle for ${IDLE_MS / 1000} s`);
  await sleep(IDLE_MS, undefined, { signal: session.signal });
  step.done();
  const { cpuSeconds, residentMiB, peakMiB } = session.usage();
  const idleCpu = ((cpuSeconds - begin.cpuSeconds) / (IDLE_MS / 1000)) * 100;
  return { ...trial, startedAt, figures: { idleCpu, idleMiB: residentMiB, peakMiB }, notes: [] };
}

/** From the start of the process until its caches are in sync: the median of some starts after every status was written. */
export async function start(bench: Bench, trial: Trial): Promise<TrialRun> {
  const startedAt = new Date().toISOString();
  await using session = await openSettledSession(bench, trial);
  const starts = [];
  for (let count = 0; count < STARTS; count++) {
    const startedMs = performance.now();
    const controller = await session.startController({ rawWork: 'list' });
    await controller.waitUntilSynced(session.signal);
    const inSync = (performance.now() - startedMs) / 1000;
    starts.push({ inSync, cpu: controller.usage().cpuSeconds });
    await controller.kill();
  }
  const figures = {
    inSync: computeMedian(starts.map((each) => each.inSync)),
    cpu: computeMedian(starts.map((each) => each.cpu)),
  };
  return { ...trial, startedAt, figures, notes: [] };
}

/** A session with a running controller that has no work left. */
async function openSettledSession(bench: Bench, trial: Trial): Promise<BenchSession> {
  const session = await BenchSession.open(bench, trial);
  try {
    await session.createCronJobs(trial.count, formatNotDue());
    const controller = await session.startController();
    const isSettled = () => session.observer.quietMs > SETTLE_MS;
    await session.waitFor('the controller to have nothing left to do', isSettled, SETTLE_LIMIT_MS);
    if (controller.hasEnded) throw new Error('the controller ended early');
    if (trial.scenario === 'start') await controller.kill();
    return session;
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}
