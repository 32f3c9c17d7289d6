/** What kubectl tcj says of a name or a namespace that is not there: where else the name is, as far as the user may look. */
import { batch } from 'controller-runtime';
import { expect, inject, test } from 'vitest';
import { Scene } from '../support/scene.ts';
import { kubeconfigAs } from './support/kubeconfig-as.ts';
import { mayRead } from './support/may-read.ts';
import { tcj } from './support/tcj.ts';

test('a name that is in another namespace is found there, and the command line for it can be copied', async () => {
  await using here = await Scene.open();
  await using there = await Scene.open();
  await there.createCronJob({ suspend: true }, 'only-there');
  await here.createCronJob({ suspend: true }, 'only-their'); // like it, and yet not the one
  const again = `-n ${there.namespace}`;
  const flags = `--kubeconfig ${inject('kubeconfig')}`;
  const absence = `there is no CronJob "only-there" in the namespace ${here.namespace}; there is one in ${there.namespace}`;
  expect(await tcj(here, 'why only-there')).toEqual({
    code: 1,
    out: '',
    err: `kubectl tcj why: ${absence}: kubectl tcj why only-there ${flags} ${again}\n`,
  });
  expect((await tcj(here, 'suspend only-there --dry-run --until', '2027-01-01 06:00')).err).toContain(
    `${absence}: kubectl tcj suspend only-there --until '2027-01-01 06:00' --dry-run ${flags} ${again}\n`,
  );
  expect(await tcj(there, 'why only-there')).toMatchObject({ code: 0, err: '' });
});

test('of many namespaces three are named', async () => {
  await using here = await Scene.open();
  const others: string[] = [];
  for (let index = 0; index < 4; index++) {
    await using other = await Scene.open();
    await other.createCronJob({ suspend: true }, 'in-many');
    others.push(other.namespace);
  }
  const [first, second, third] = others.toSorted();
  expect((await tcj(here, 'why in-many')).err).toContain(
    `; there is one in ${first}, in ${second}, in ${third} and elsewhere: kubectl tcj why in-many `,
  );
});

test('a CronJob of batch/v1 is found in another namespace too', async () => {
  await using here = await Scene.open();
  await using there = await Scene.open();
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox' }] } };
  await there.client.create(batch.v1.cronJobs, {
    metadata: { name: 'source-there', namespace: there.namespace },
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template } } },
  });
  expect((await tcj(here, 'import source-there --dry-run')).err).toMatch(
    new RegExp(
      `"source-there" of batch/v1 in .*; there is one in ${there.namespace}: kubectl tcj import source-there .* -n ${there.namespace}\n$`,
    ),
  );
});

test('whoever may not look in other namespaces hears nothing of them, and of names in their own as before', async () => {
  await using here = await Scene.open();
  await using there = await Scene.open();
  await there.createCronJob({ suspend: true }, 'hidden-there');
  await here.createCronJob({ suspend: true }, 'hidden-their');
  await mayRead(here, 'namesake');
  const kubeconfig = kubeconfigAs('namesake', inject('kubeconfig'));
  await here.eventually(async () =>
    expect(await tcj(here, 'why hidden-there', '--kubeconfig', kubeconfig)).toEqual({
      code: 1,
      out: '',
      err: `kubectl tcj why: there is no CronJob "hidden-there" in the namespace ${here.namespace}; did you mean "hidden-their"?\n`,
    }),
  );
});

test('a list of a namespace that does not exist says so, to whoever may see that', async () => {
  await using scene = await Scene.open();
  const nowhere = `${scene.namespace}-nope`;
  const absent = `There is no namespace ${nowhere}.\n`;
  const inNowhere = (line: string, kubeconfig = inject('kubeconfig')) =>
    tcj({ clock: scene.clock, namespace: nowhere }, line, '--kubeconfig', kubeconfig);
  expect(await inNowhere('list')).toEqual({ code: 0, out: '', err: absent });
  expect(await inNowhere('list -o json')).toEqual({ code: 0, out: '[]\n', err: absent });
  expect(await inNowhere('next')).toEqual({ code: 0, out: '', err: absent });
  expect(await inNowhere('next -o json')).toMatchObject({ code: 0, err: absent });
  expect(await tcj(scene, 'list -o json')).toEqual({ code: 0, out: '[]\n', err: '' });
  expect((await inNowhere('list -A -l uses=nothing-at-all')).err).not.toContain(absent);

  await mayRead(scene, 'stranger');
  const found = `No CronJobs found in the namespace ${scene.namespace}. -A looks in all of them.\n`;
  await scene.eventually(async () =>
    expect(await tcj(scene, 'list', '--kubeconfig', kubeconfigAs('stranger', inject('kubeconfig')))).toEqual({
      code: 0,
      out: '',
      err: found,
    }),
  );
});
