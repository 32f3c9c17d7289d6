/** The instructions of docs/argocd.md for installing the rules, and for suspending under GitOps. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { API_VERSION, KIND, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { run } from '../../hack/control-plane/run.ts';
import { Scene } from '../support/scene.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { applyAction } from './support/argo-cd.ts';

function kubectl(...args: readonly string[]): Promise<string> {
  return run(inject('kubectl'), ['--kubeconfig', inject('kubeconfig'), ...args]);
}

test("the documented command adds two keys to Argo CD's ConfigMap and keeps the others", async () => {
  await using scene = await Scene.open();
  const [, command = ''] =
    /^kubectl -n argocd (patch configmap .*)$/m.exec(readFileSync('docs/argocd.md', 'utf8')) ?? [];
  await kubectl('-n', scene.namespace, 'create', 'configmap', 'argocd-cm', '--from-literal=url=https://argocd');
  await kubectl('-n', scene.namespace, ...command.split(' '));
  const { data } = JSON.parse(await kubectl('-n', scene.namespace, 'get', 'configmap', 'argocd-cm', '-o', 'json'));
  expect(Object.keys(data)).toEqual([
    'resource.customizations.actions.batch.tutorial.kubebuilder.io_CronJob',
    'resource.customizations.health.batch.tutorial.kubebuilder.io_CronJob',
    'url',
  ]);
});

/** Applies a manifest of a repository with `flags` at each call. */
function createSync(scene: Scene, spec: object, flags: readonly string[]): () => Promise<string> {
  const file = join(createTemporaryFolder(), 'cronjob.json');
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } };
  const manifest = {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name: 'hello', namespace: scene.namespace },
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template } }, ...spec },
  };
  writeFileSync(file, JSON.stringify(manifest));
  return () => kubectl('apply', ...flags, '-f', file);
}

describe.each([[[]], [['--server-side', '--force-conflicts']]])('a sync (apply %j)', (flags) => {
  test('keeps fields that are not in the manifest: suspend, suspendUntil, annotations of actions', async () => {
    await using scene = await Scene.open();
    const sync = createSync(scene, {}, flags);
    await sync();
    const { metadata } = applyAction('run-now', await scene.cronJob());
    await scene.annotate(metadata.annotations ?? {});
    await scene.edit({ suspend: true, suspendUntil: '2099-01-01T00:00:00Z' });
    await sync();
    const live = await scene.cronJob();
    expect(live.spec).toMatchObject({ suspend: true, suspendUntil: '2099-01-01T00:00:00Z' });
    expect(live.metadata.annotations).toHaveProperty([RUN_NOW_ANNOTATION]);
  });

  test('resets fields that are in the manifest', async () => {
    await using scene = await Scene.open();
    const sync = createSync(scene, { suspend: false }, flags);
    await sync();
    await scene.edit({ suspend: true });
    await sync();
    expect((await scene.cronJob()).spec.suspend).toBe(false);
  });
});
