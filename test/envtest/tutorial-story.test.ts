/** What the controller test of the kubebuilder tutorial does, done to our manager. */
import { describe, expect, test } from 'vitest';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { jobs } from '../../controllers/resources.ts';
import { Scene } from '../support/scene.ts';

const RUNNING = 'running';
/** The names are in the order that the start times are not. */
const OLDER_SUCCESS = 'success-2';
const NEWER_SUCCESS = 'success-1';
const OLDER_FAILURE = 'failure-2';
const NEWER_FAILURE = 'failure-1';
/** Of the start times: the newer ones are a second ahead. */
const OLDER_MS = -60_000;
const NEWER_MS = 1000;

/** A Job that the test makes and the CronJob owns, with its status written as a controller does. */
async function ownedJob(scene: Scene, owner: CronJob, name: string, status: object): Promise<void> {
  const { apiVersion, kind, metadata } = owner;
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
  const container = { name: 'test-container', image: 'test-image' };
  const job = await scene.client.create(jobs, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: scene.namespace,
      ownerReferences: [{ ...reference, controller: true, blockOwnerDeletion: true }],
    },
    spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [container] } } },
  });
  const { metadata: stored } = job;
  await scene.client.patch(jobs, stored, { kind: 'merge', body: { status } }, { subresource: 'status' });
}

/** The status of a Job that ended as soon as it had begun. In Go, a time that nobody set is `null` in JSON. */
function finished(type: 'Complete' | 'Failed', startTime: string) {
  const condition = (name: string) => ({ type: name, status: 'True', lastProbeTime: null, lastTransitionTime: null });
  return type === 'Complete'
    ? {
        startTime,
        completionTime: startTime,
        succeeded: 1,
        conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
      }
    : { startTime, failed: 1, conditions: [condition('FailureTarget'), condition('Failed')] };
}

/** Without the Job of the schedule, which comes when the test happens to run at one minute past the hour. */
function madeByTest(names: readonly (string | undefined)[]): readonly (string | undefined)[] {
  return names.filter((name) => !/^hello-\d+$/.test(name ?? ''));
}

function secondsAfter(instant: Date, byMs: number): string {
  return new Date(instant.getTime() + byMs).toISOString().replace(/\.\d+/, '');
}

describe('the story of the tutorial', () => {
  test('an owned Job with two active Pods is in status.active; of finished Jobs with null transition times the older go', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    const created = await scene.createCronJob({ schedule: '1 * * * *' });
    await scene.observed();
    expect((await scene.cronJob()).status?.active ?? []).toEqual([]);

    await ownedJob(scene, created, RUNNING, { active: 2 });
    await scene.eventually(async () => {
      const active = (await scene.cronJob()).status?.active ?? [];
      expect(madeByTest(active.map(({ name }) => name))).toEqual([RUNNING]);
    });
    expect(await scene.conditions()).toMatchObject({ Available: 'True JobsActive' });

    await scene.edit({ failedJobsHistoryLimit: 1, successfulJobsHistoryLimit: 1 });
    const now = scene.clock.now();
    const older = secondsAfter(now, OLDER_MS);
    const newer = secondsAfter(now, NEWER_MS);
    await ownedJob(scene, created, OLDER_FAILURE, finished('Failed', older));
    await ownedJob(scene, created, NEWER_FAILURE, finished('Failed', newer));
    await ownedJob(scene, created, OLDER_SUCCESS, finished('Complete', older));
    await ownedJob(scene, created, NEWER_SUCCESS, finished('Complete', newer));
    await scene.eventually(async () => {
      const names = (await scene.jobs()).map(({ metadata }) => metadata.name);
      expect(madeByTest(names)).toEqual([NEWER_FAILURE, RUNNING, NEWER_SUCCESS]);
    });
    await scene.eventually(async () => {
      const { status } = await scene.cronJob();
      expect(status?.lastSuccessfulTime).toBe(newer);
      expect(madeByTest((status?.active ?? []).map(({ name }) => name))).toEqual([RUNNING]);
    });
    expect(JSON.stringify((await scene.cronJob()).status)).not.toMatch(/1970|null/);
  });
});
