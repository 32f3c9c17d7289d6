/** The message of kubectl tcj for a name or a namespace that does not exist: other places of the name, as far as the user may read them. */
import { expect, inject, test } from 'vitest';
import { Scene } from '../support/scene.ts';
import { createSource } from './support/batch-source.ts';
import { grant, READ_CRON_JOBS } from './support/grant.ts';
import { writeKubeconfigAs } from './support/kubeconfig-as.ts';
import { tcj } from './support/tcj.ts';

test('prints the command for a name that exists in another namespace', async () => {
  await using scene = await Scene.open();
  await using otherScene = await Scene.open();
  await otherScene.createCronJob({ suspend: true }, 'only-there');
  await scene.createCronJob({ suspend: true }, 'only-their'); // a similar name, but not the same
  const again = `-n ${otherScene.namespace}`;
  const flags = `--kubeconfig ${inject('kubeconfig')}`;
  const absence = `CronJob "only-there" not found in namespace ${scene.namespace}; it exists in namespace ${otherScene.namespace}`;
  expect(await tcj(scene, 'why only-there')).toEqual({
    code: 1,
    out: '',
    err: `kubectl tcj why: ${absence}: kubectl tcj why only-there ${flags} ${again}\n`,
  });
  expect((await tcj(scene, 'suspend only-there --dry-run --until', '2027-01-01 06:00')).err).toContain(
    `${absence}: kubectl tcj suspend only-there --until '2027-01-01 06:00' --dry-run ${flags} ${again}\n`,
  );
  await createSource(otherScene, { metadata: { name: 'source-there' } });
  expect((await tcj(scene, 'import source-there --dry-run')).err).toMatch(
    new RegExp(
      `batch/v1 CronJob "source-there" not found in .*; it exists in namespace ${otherScene.namespace}: kubectl tcj import source-there .* ${again}\n$`,
    ),
  );

  // A user without permissions in that namespace gets no hint about it, and the same hints about their own namespace as before.
  await grant(scene.client, 'namesake', scene.namespace, [READ_CRON_JOBS]);
  const kubeconfig = writeKubeconfigAs('namesake', inject('kubeconfig'));
  await scene.eventually(async () =>
    expect(await tcj(scene, 'why only-there', '--kubeconfig', kubeconfig)).toEqual({
      code: 1,
      out: '',
      err: `kubectl tcj why: CronJob "only-there" not found in namespace ${scene.namespace}; did you mean "only-their"?\n`,
    }),
  );
});

test('names three of many namespaces', async () => {
  await using scene = await Scene.open();
  const others: string[] = [];
  for (let index = 0; index < 4; index++) {
    await using other = await Scene.open();
    await other.createCronJob({ suspend: true }, 'in-many');
    others.push(other.namespace);
  }
  const [first, second, third] = others.toSorted();
  expect((await tcj(scene, 'why in-many')).err).toContain(
    `; it exists in namespaces ${first}, ${second}, ${third} and others: kubectl tcj why in-many `,
  );
});

test('list reports a namespace that does not exist, if the user may read namespaces', async () => {
  await using scene = await Scene.open();
  const nowhere = { clock: scene.clock, namespace: `${scene.namespace}-nope` };
  const absent = `Namespace ${nowhere.namespace} not found.\n`;
  expect(await tcj(nowhere, 'list')).toEqual({ code: 0, out: '', err: absent });
  expect(await tcj(nowhere, 'list -o json')).toEqual({ code: 0, out: '[]\n', err: absent });
  expect(await tcj(nowhere, 'next -o json')).toMatchObject({ code: 0, err: absent });
  expect(await tcj(scene, 'list -o json')).toEqual({ code: 0, out: '[]\n', err: '' });
  expect((await tcj(nowhere, 'list -A -l uses=nothing-at-all')).err).not.toContain(absent);

  await grant(scene.client, 'stranger', scene.namespace, [READ_CRON_JOBS]);
  const err = `No CronJobs found in namespace ${scene.namespace}. Use -A to search all namespaces.\n`;
  await scene.eventually(async () =>
    expect(await tcj(scene, 'list', '--kubeconfig', writeKubeconfigAs('stranger', inject('kubeconfig')))).toEqual({
      code: 0,
      out: '',
      err,
    }),
  );
});
