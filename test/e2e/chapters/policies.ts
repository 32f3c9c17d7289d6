import type { Job } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest, getStatus, listJobs } from './cron-jobs.ts';

/** Missed slots, and slots that are due while a run is active. */
export const policies: Chapter = (operator) => {
  describe.concurrent('a CronJob', () => {
    test('with Queue starts every run, one after another', async () => {
      const spec = { schedule: '@every 2s', concurrencyPolicy: 'Queue', successfulJobsHistoryLimit: 50 } as const;
      await operator().apply(cronJobManifest('queue', spec, { script: 'sleep 3' }));
      const finished = await eventually(async () => {
        const found = (await listJobs(operator(), 'queue')).filter(
          ({ status }) => status?.completionTime !== undefined,
        );
        expect(found.length).toBeGreaterThan(3);
        return found;
      }, PATIENCE);
      expectNoGap(finished, 2);
      for (const [index, job] of finished.slice(1).entries()) {
        const completedMs = Date.parse(finished[index]?.status?.completionTime ?? '');
        expect(Date.parse(job.metadata.creationTimestamp)).toBeGreaterThanOrEqual(completedMs);
      }
      await operator().kubectlInWork('delete', 'tcj', 'queue');
    });

    test('with Skip starts no run beside an active one, and says so', async () => {
      const simulated = { 'kwok.batch.tutorial.kubebuilder.io/hang': 'true' };
      const spec = { schedule: '@every 2s', concurrencyPolicy: 'Skip' } as const;
      await operator().apply(cronJobManifest('skip', spec, { script: 'sleep 3600', simulated }));
      await eventually(async () => {
        const { recentSkips = [] } = await getStatus(operator(), 'skip');
        expect(recentSkips).toEqual([expect.stringMatching(/ ConcurrencyPolicySkip .*count=/)]);
      }, PATIENCE);
      expect(await listJobs(operator(), 'skip')).toHaveLength(1);
      await operator().kubectlInWork('delete', 'tcj', 'skip');
    });

    test('with a jitter starts each run after its scheduled time, by the same delay', async () => {
      await operator().apply(cronJobManifest('jitter', { schedule: '@every 10s', jitterSeconds: 9 }));
      const { nextScheduleTime, nextStartTime } = await eventually(async () => {
        const found = await getStatus(operator(), 'jitter');
        expect(found).toMatchObject({ nextStartTime: expect.any(String) });
        return found;
      }, PATIENCE);
      const delayMs = Date.parse(nextStartTime) - Date.parse(nextScheduleTime);
      const [job] = await eventually(async () => {
        const found = await listJobs(operator(), 'jitter');
        expect(found).not.toEqual([]);
        return found;
      }, PATIENCE);
      const createdMs = Date.parse(job?.metadata.creationTimestamp ?? '');
      expect(delayMs).toBeLessThanOrEqual(9000);
      expect(createdMs).toBeGreaterThanOrEqual(getSlot(job) * 1000 + delayMs);
      await operator().kubectlInWork('delete', 'tcj', 'jitter');
    });
  });

  test('with catchUpPolicy All starts every run that was missed while there was no leader', async () => {
    const spec = { schedule: '@every 3s', catchUpPolicy: 'All', successfulJobsHistoryLimit: 100 } as const;
    await operator().apply(cronJobManifest('catch-up', spec, { job: { suspend: true } }));
    await eventually(async () => expect(await listJobs(operator(), 'catch-up')).not.toEqual([]), PATIENCE);
    const holder = await operator().getLeaseHolder();
    await operator().site.crash(await operator().findLeader());
    await eventually(async () => expect(await operator().getLeaseHolder()).not.toBe(holder), PATIENCE);
    const slot = Math.floor(Date.now() / 1000);
    const jobs = await eventually(async () => {
      const found = await listJobs(operator(), 'catch-up');
      expect(Math.max(...found.map(getSlot))).toBeGreaterThan(slot);
      return found;
    }, PATIENCE);
    expectNoGap(jobs, 3);
    await operator().kubectlInWork('delete', 'tcj', 'catch-up');
    await operator().waitUntilReady();
  });
};

/** The slot of a run, in Unix seconds. */
function getSlot(job: Job | undefined): number {
  return Number(/-(\d+)$/.exec(job?.metadata.name ?? '')?.[1]);
}

/** Every slot from the first to the last has a Job. */
function expectNoGap(jobs: readonly Job[], periodSeconds: number): void {
  const slots = jobs.map(getSlot).toSorted((left, right) => left - right);
  expect(slots).toEqual(slots.map((_, index) => (slots[0] ?? Number.NaN) + index * periodSeconds));
}
