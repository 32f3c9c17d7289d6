import { getCondition, type Job } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { CronJobRun } from '../../../api/v1/cronjobrun-types.ts';
import { API_VERSION, SCHEDULED_AT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { cronJobRuns } from '../../../controllers/resources.ts';
import { PATIENCE, WORK_NAMESPACE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest, listJobs } from './cron-jobs.ts';

const CRON_JOB = 'daily-report';
const DAYS = 30;
const MAX_CONCURRENT_RUNS = 2;
/** Jobs that exist when the leader crashes. */
const JOBS_BEFORE_CRASH = 6;
const BACKFILL = {
  startTime: '2026-01-01T00:00:00Z',
  endTime: '2026-01-31T00:00:00Z',
  maxConcurrentRuns: MAX_CONCURRENT_RUNS,
};
const DAY_MS = 86_400_000;

function runManifest(name: string, spec: object): string {
  const metadata = { name, namespace: WORK_NAMESPACE };
  return JSON.stringify({
    apiVersion: API_VERSION,
    kind: 'CronJobRun',
    metadata,
    spec: { cronJobName: CRON_JOB, ...spec },
  });
}

/** Runs that users request with CronJobRuns. */
export const requestedRuns: Chapter = (operator) => {
  const getRun = (name: string): Promise<CronJobRun | undefined> =>
    operator().client.get(cronJobRuns, { namespace: WORK_NAMESPACE, name });

  /** Also checks that no more Jobs are active than allowed. */
  async function listJobsOfRun(): Promise<readonly Job[]> {
    const found = await listJobs(operator(), CRON_JOB);
    const active = found.filter(({ status }) => getCondition(status?.conditions, 'Complete') === undefined);
    expect(active.length).toBeLessThanOrEqual(MAX_CONCURRENT_RUNS);
    return found;
  }

  test('a backfill of a month starts each run once, at most two at a time, although the leader crashes', async () => {
    const spec = { schedule: '0 6 * * *', requestedRunsHistoryLimit: DAYS } as const;
    await operator().apply(cronJobManifest(CRON_JOB, spec, { script: 'sleep 1' }));
    await operator().apply(runManifest('fill-in', { backfill: BACKFILL }));
    const holder = await operator().getLeaseHolder();
    const leader = await operator().findLeader();
    await eventually(async () => expect((await listJobsOfRun()).length).toBeGreaterThan(JOBS_BEFORE_CRASH), PATIENCE);
    await operator().site.crash(leader);
    const { status } = await eventually(async () => {
      const [found, run] = [await listJobsOfRun(), await getRun('fill-in')];
      expect(found).toHaveLength(DAYS);
      expect(getCondition(run?.status?.conditions, 'Complete')).toMatchObject({ status: 'True', reason: 'Succeeded' });
      return run ?? expect.fail();
    }, PATIENCE);
    expect(await operator().getLeaseHolder()).not.toBe(holder);
    expect(status).toMatchObject({ total: DAYS, succeeded: DAYS, active: 0, failed: 0, skipped: 0 });
    const slots = (await listJobsOfRun()).map(({ metadata }) => metadata.annotations?.[SCHEDULED_AT_ANNOTATION]);
    const firstMs = Date.parse(BACKFILL.startTime) + DAY_MS / 4;
    const want = Array.from({ length: DAYS }, (_, day) => new Date(firstMs + day * DAY_MS).toISOString());
    expect(slots.toSorted()).toEqual(want.map((time) => time.replace('.000', '')));
    await operator().waitUntilReady();
  });

  test('a CronJobRun is deleted after its time, and its Job with the CronJob', async () => {
    await operator().apply(runManifest('again', { manual: {}, ttlSecondsAfterFinished: 0 }));
    await eventually(async () => expect(await getRun('again')).toBeUndefined(), PATIENCE);
    expect(await listJobs(operator(), CRON_JOB)).not.toEqual([]);
    await operator().kubectlInWork('delete', 'tcjr', '--all');
    await operator().kubectlInWork('delete', 'tcj', CRON_JOB);
    await eventually(async () => expect(await listJobs(operator(), CRON_JOB)).toEqual([]), PATIENCE);
  });
};
