/** The Events of a CronJob that runs every minute, on a real API server. */
import { core } from 'controller-runtime';
import { expect, inject, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { Scene } from '../support/scene.ts';

const created = async ({ client, namespace }: Scene) =>
  (await client.list(core.v1.events, { namespace })).filter(({ reason }) => reason === 'SuccessfulCreate');

test('the first run is shown at once, three are one Event that counts to three when the manager stops', async () => {
  await using scene = await Scene.open();
  const manager = await scene.startManager();
  await scene.createCronJob();
  await scene.observed();
  const first = await scene.jobOf(await scene.passNextMinute());
  const event = await scene.eventually(async () => {
    const [found, ...others] = await created(scene);
    expect([found?.message, others.length]).toEqual([`Created job ${first.metadata.name}`, 0]);
    return found;
  });
  await scene.jobOf(await scene.passNextMinute());
  const { metadata: last } = await scene.jobOf(await scene.passNextMinute());
  await scene.stopManager(manager);
  const { uid, name } = event?.metadata ?? {};
  expect(await created(scene)).toMatchObject([
    { metadata: { uid, name }, count: 3, message: `Created job ${last.name}`, firstTimestamp: event?.firstTimestamp },
  ]);
  const described = ['--kubeconfig', inject('kubeconfig'), '--namespace', scene.namespace, 'describe', 'tcj', 'hello'];
  expect(await run(inject('kubectl'), described)).toMatch(
    new RegExp(`Normal +SuccessfulCreate +.*\\(x3 over .*\\) +cronjob-controller +Created job ${last.name}`),
  );
});
