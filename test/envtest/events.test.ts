/** What people see of a CronJob that runs every minute, on a real API server. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { core, isAlreadyExists, isNotFound, pathOf } from 'controller-runtime';
import { expect, inject, test } from 'vitest';
import { connect } from '../support/cluster-client.ts';
import { Scene } from '../support/scene.ts';

const kubectl = promisify(execFile);

/** Three runs, one after the other. */
async function threeRuns(scene: Scene) {
  const manager = await scene.startManager();
  await scene.createCronJob();
  await scene.observed();
  for (const runs of [1, 2, 3]) {
    await scene.passNextMinute();
    await scene.hasJobs(runs);
  }
  return { manager, jobs: (await scene.jobs()).map(({ metadata }) => metadata.name) };
}

const created = async (scene: Scene) =>
  (await scene.client.list(core.v1.events, { namespace: scene.namespace })).filter(
    ({ reason }) => reason === 'SuccessfulCreate',
  );

test('the first run is shown at once, three are one Event that counts to three when the manager stops', async () => {
  await using scene = await Scene.open();
  const { manager, jobs } = await threeRuns(scene);
  const [first] = await scene.eventually(async () => {
    const events = await created(scene);
    expect(events).toHaveLength(1);
    return events;
  });
  expect(first).toMatchObject({ count: 1, message: `Created job ${jobs[0]}` });
  await scene.stopManager(manager);
  const { uid, name } = first?.metadata ?? {};
  expect(await created(scene)).toMatchObject([
    { metadata: { uid, name }, count: 3, message: `Created job ${jobs[2]}`, firstTimestamp: first?.firstTimestamp },
  ]);
});

test('kubectl describe shows the newest run and how often, once the Event was brought up to date', async () => {
  await using scene = await Scene.open();
  const { jobs } = await threeRuns(scene);
  await scene.edit({ suspend: true });
  await scene.observed();
  await scene.eventually(async () => {
    // The five minutes are counted from the answer to the request before, which a busy server gives late.
    await scene.clock.advance(5 * 60_000);
    expect(await created(scene)).toMatchObject([{ count: 3 }]);
  });
  const args = ['--kubeconfig', inject('kubeconfig'), '--namespace', scene.namespace, 'describe', 'tcj', 'hello'];
  const { stdout } = await kubectl(inject('kubectl'), args);
  expect(stdout).toMatch(
    new RegExp(`Normal +SuccessfulCreate +.*\\(x3 over .*\\) +cronjob-controller +Created job ${jobs[2]}`),
  );
});

test('who writes an Event, and asks for its metadata, is answered with no more, and told of refusals as ever', async () => {
  await using scene = await Scene.open();
  await using cluster = connect(inject('kubeconfig'));
  const { namespace } = scene;
  const write = {
    path: pathOf(core.v1.events, namespace),
    namespace,
    accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
  };
  const involvedObject = { kind: 'Namespace', name: namespace, namespace };
  const body = { metadata: { namespace, name: 'first' }, involvedObject, reason: 'Tried', message: 'hello' };
  const answer = await cluster.transport.request({ ...write, method: 'POST', body });
  expect(answer).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'first' } });
  expect(answer).not.toHaveProperty('reason');
  await expect(cluster.transport.request({ ...write, method: 'POST', body })).rejects.toSatisfy(isAlreadyExists);
  const gone = { method: 'PATCH', path: `${write.path}/gone`, contentType: 'application/merge-patch+json' } as const;
  await expect(cluster.transport.request({ ...write, ...gone, body: { count: 2 } })).rejects.toSatisfy(isNotFound);
});
