/** kubectl tcj import --revert at a real API server: the way back, and out of an import that was interrupted. */
import { expect, test } from 'vitest';
import { CronJob } from '../../api/v1/cronjob-types.ts';
import { Scene } from '../support/scene.ts';
import { createSource, sourceOf, sources } from './support/batch-source.ts';
import { tcj } from './support/tcj.ts';

test('a revert tells Kubernetes of no run where there was none', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  await createSource(scene);
  expect((await tcj(scene, 'import backup --keep-source')).code).toBe(0);
  await scene.observed('backup');
  expect((await tcj(scene, 'import backup --revert')).code).toBe(0);
  const source = await sourceOf(scene);
  expect(source?.spec.suspend).toBe(false);
  expect(source?.status?.lastScheduleTime).toBeUndefined();
});

test('an import that was interrupted before there is a CronJob of ours is undone', async () => {
  await using scene = await Scene.open();
  const { metadata } = await createSource(scene);
  const annotations = { 'batch.tutorial.kubebuilder.io/suspended-for-import': 'true' };
  const body = { metadata: { annotations }, spec: { suspend: true } };
  await scene.client.patch(sources, metadata, { kind: 'merge', body });
  for (const line of ['import backup --revert --dry-run', 'import --all --revert --dry-run']) {
    expect(await tcj(scene, line)).toEqual({
      code: 0,
      out: `${scene.namespace}/backup runs in batch/v1 as before (dry run)\n`,
      err: '',
    });
  }
  expect((await sourceOf(scene))?.spec.suspend).toBe(true);
  expect(await tcj(scene, 'import --all --revert')).toEqual({
    code: 0,
    out: `${scene.namespace}/backup runs in batch/v1 as before: it had been suspended, and not imported yet\n`,
    err: '',
  });
  const source = await sourceOf(scene);
  expect(source?.spec.suspend).toBe(false);
  expect(source?.metadata.annotations ?? {}).toEqual({});
});

test('a revert that was interrupted is finished, also when somebody has resumed ours meanwhile', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  await createSource(scene);
  expect((await tcj(scene, 'import backup --keep-source')).code).toBe(0);
  const annotations = { 'batch.tutorial.kubebuilder.io/reverting-import': 'false' };
  await scene.patch({ metadata: { annotations }, spec: { suspend: true } }, 'backup');
  await scene.observed('backup');
  expect((await tcj(scene, 'why backup')).out).toMatch(
    /To do: finish its way back to batch\/v1: kubectl tcj import backup -n \S+ --revert --kubeconfig \S+\n$/,
  );
  expect(await tcj(scene, 'import backup')).toMatchObject({
    code: 1,
    err: expect.stringContaining('finish that first, with --revert'),
  });
  await tcj(scene, 'resume backup');
  expect((await tcj(scene, 'import backup --revert')).code).toBe(0);
  expect((await sourceOf(scene))?.spec.suspend).toBe(false);
  expect(await scene.client.list(CronJob, { namespace: scene.namespace })).toEqual([]);
});
