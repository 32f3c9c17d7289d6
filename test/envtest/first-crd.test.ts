/** The CRD of version 0.1.0 with this manager: on an API server of its own, where the manager was upgraded and the CRD was not. */
import { eventually, FakeClock, RecordingLogger } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GROUP } from '../../api/v1/groupversion.ts';
import { type RunningApiServer, startApiServer } from '../../hack/control-plane/api-server.ts';
import { connect } from '../support/cluster-client.ts';
import { Scene } from '../support/scene.ts';
import { EtcdObjects } from './support/etcd-objects.ts';
import { crdOfFirstVersion, crds, LATER_SPEC, LATER_STATUS_FIELDS } from './support/older-crd.ts';
import { storedSet } from './support/stored-set.ts';

const OLDER_CRD = 'the API server dropped fields of the status; install the CustomResourceDefinition of this version';

let server: RunningApiServer;
beforeAll(async () => {
  server = await startApiServer();
  await using cluster = connect(server.kubeconfig);
  await cluster.client.create(crds, crdOfFirstVersion());
  await eventually(() => cluster.transport.request({ method: 'GET', path: `/apis/${GROUP}/v1/cronjobs` }));
});
afterAll(() => server.stop());

test('under the CRD of version 0.1.0 runs start, end and are recorded, and the log says once that the CRD is older', async () => {
  await using scene = await Scene.open({ server });
  const log = new RecordingLogger();
  const manager = await scene.startManager({ log });
  // The API server prunes every field that its CRD lacks.
  const created = await scene.createCronJob(LATER_SPEC);
  expect(Object.keys(created.spec).filter((field) => field in LATER_SPEC)).toEqual([]);
  await scene.createCronJob({ successfulJobsHistoryLimit: 0 }, 'other');
  for (const runs of [1, 2, 3]) {
    await scene.passNextMinute();
    for (const name of ['hello', 'other']) {
      const job = await scene.eventually(async () => {
        const active = (await scene.jobs()).find(
          ({ metadata, status }) => metadata.name.startsWith(`${name}-`) && status?.conditions === undefined,
        );
        expect(active).toBeDefined();
        return active!;
      });
      await scene.finish(job, runs === 2 ? 'Failed' : 'Complete');
      await scene.eventually(async () => {
        const { lastRun } = (await scene.cronJob(name)).status ?? {};
        expect(lastRun).toMatchObject({ jobName: job.metadata.name, result: runs === 2 ? 'Failed' : 'Succeeded' });
      });
    }
  }
  const { status } = await scene.cronJob();
  expect(Object.keys(status ?? {}).filter((field) => LATER_STATUS_FIELDS.some((later) => later === field))).toEqual([]);
  expect(await scene.reasonsOfEvents()).not.toContain('Paused');
  expect(log.records.filter(({ message }) => message === OLDER_CRD)).toHaveLength(1);
  expect(log.errors).toEqual([]);
  // At each slot: a status when the Job is created and one when it has ended; and some to spare, but no loop.
  expect(manager.requests('PUT', /\/status$/).length).toBeLessThanOrEqual(2 * 3 * 4);
});

test('after a rollback to that CRD, one that was paused or suspended until a time starts at once, and one with suspend does not', async () => {
  const { storedAt } = storedSet('unreleased', '');
  await using scene = await Scene.open({ server, clock: new FakeClock(new Date(storedAt)) });
  const { cronJobs, jobs } = storedSet('unreleased', scene.namespace);
  await new EtcdObjects(server.etcd, scene.namespace).put([...cronJobs, ...jobs]);
  await scene.startManager();
  const newest = (scene.nextMinute.getTime() - 60_000) / 1000;
  const before = jobs.map(({ metadata }) => metadata.name);
  await scene.eventually(async () => {
    const started = (await scene.jobs()).map(({ metadata }) => metadata.name).filter((name) => !before.includes(name));
    expect(started).toEqual([`paused-${newest}`, `suspended-until-${newest}`]);
  });
  expect((await scene.conditions('suspended'))['Available']).toBe('False Suspended');
});
