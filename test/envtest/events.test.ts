/** The Events of a CronJob that runs every minute, on a real API server. */
import { core } from 'controller-runtime';
import { expect, inject, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { Scene } from '../support/scene.ts';

const listCreatedEvents = async ({ client, namespace }: Scene) =>
  (await client.list(core.v1.events, { namespace })).filter(({ reason }) => reason === 'SuccessfulCreate');

test('reports the first run at once, and counts three runs in one Event when the manager stops', async () => {
  await using scene = await Scene.open();
  const manager = await scene.startManager();
  await scene.createCronJob();
  await scene.waitUntilObserved();
  const first = await scene.waitForJob(await scene.passNextMinute());
  const event = await scene.eventually(async () => {
    const [found, ...others] = await listCreatedEvents(scene);
    expect([found?.message, others.length]).toEqual([`Created job ${first.metadata.name}`, 0]);
    return found;
  });
  await scene.waitForJob(await scene.passNextMinute());
  const { metadata: last } = await scene.waitForJob(await scene.passNextMinute());
  await scene.stopManager(manager);
  const { uid, name } = event?.metadata ?? {};
  expect(await listCreatedEvents(scene)).toMatchObject([
    { metadata: { uid, name }, count: 3, message: `Created job ${last.name}`, firstTimestamp: event?.firstTimestamp },
  ]);
  const described = ['--kubeconfig', inject('kubeconfig'), '--namespace', scene.namespace, 'describe', 'tcj', 'hello'];
  expect(await run(inject('kubectl'), described)).toMatch(
    new RegExp(`Normal +SuccessfulCreate +.*\\(x3 over .*\\) +cronjob-controller +Created job ${last.name}`),
  );
});
