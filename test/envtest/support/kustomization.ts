/** Tests of the files that make kustomize treat a CronJob of this operator like one of batch/v1; docs/from-batch-v1.md describes their use. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { stringify } from 'yaml';
import { API_VERSION } from '../../../api/v1/groupversion.ts';
import { run } from '../../../hack/control-plane/run.ts';
import { parseManifests } from '../../support/manifests.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import './provided.ts';

/** The files, with the names that the documented kustomization contains. */
export const KUSTOMIZE_FILES = { configuration: 'kustomizeconfig.yaml', schema: 'kustomize-openapi.json' };
const OPENAPI = { openapi: { path: KUSTOMIZE_FILES.schema } };
const CONFIGURATIONS = { configurations: [KUSTOMIZE_FILES.configuration] };

const POD = {
  ...{ restartPolicy: 'Never', serviceAccountName: 'runner', imagePullSecrets: [{ name: 'pull' }] },
  initContainers: [{ name: 'init', image: 'busybox', envFrom: [{ configMapRef: { name: 'settings' } }] }],
  containers: [
    {
      ...{ name: 'main', image: 'busybox', envFrom: [{ secretRef: { name: 'password' } }] },
      env: [
        { name: 'A', value: '1' },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'settings', key: 'b' } } },
        { name: 'C', valueFrom: { secretKeyRef: { name: 'password', key: 'c' } } },
      ],
    },
    { name: 'side', image: 'nginx' },
  ],
  volumes: [
    { name: 'v1', configMap: { name: 'settings' } },
    { name: 'v2', secret: { secretName: 'password' } },
    { name: 'v3', projected: { sources: [{ configMap: { name: 'settings' } }, { secret: { name: 'password' } }] } },
    { name: 'v4', persistentVolumeClaim: { claimName: 'data' } },
  ],
};
const cronJob = (apiVersion: string) => ({
  ...{ apiVersion, kind: 'CronJob', metadata: { name: 'a' } },
  spec: { schedule: '0 * * * *', jobTemplate: { spec: { template: { spec: POD } } } },
});
const deployment = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } },
  spec: { template: { spec: { containers: POD.containers } } },
};
const others = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pull' } },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' } },
];
const RESOURCES = [cronJob(API_VERSION), cronJob('batch/v1'), deployment, ...others];

interface RenderedCronJob {
  readonly spec: { readonly jobTemplate: { readonly spec: unknown } };
}

/** The resources after kubectl kustomize, with the files in a folder. */
async function render(source: string, kustomization: object) {
  const folder = createTemporaryFolder();
  for (const name of Object.values(KUSTOMIZE_FILES)) cpSync(join(source, name), join(folder, name));
  writeFileSync(join(folder, 'all.yaml'), RESOURCES.map((resource) => stringify(resource)).join('---\n'));
  writeFileSync(join(folder, 'kustomization.yaml'), stringify({ resources: ['all.yaml'], ...kustomization }));
  const objects = parseManifests(await run(inject('kubectl'), ['kustomize', folder]));
  const only = (apiVersion: string, kind: string): RenderedCronJob => {
    const found = objects.find((each) => each.apiVersion === apiVersion && each.kind === kind);
    return (found ?? expect.fail(`no ${kind} of ${apiVersion}`)) as unknown as RenderedCronJob; // one of three kinds
  };
  const [operatorObject, batchObject] = [only(API_VERSION, 'CronJob'), only('batch/v1', 'CronJob')];
  return { operatorObject, batchObject, deployed: only('apps/v1', 'Deployment') };
}

/** A strategic merge patch of one variable and one mount. */
function createPatches(...kinds: readonly string[]) {
  const env = Object.entries({ A: '2', D: '4' }).map(([name, value]) => ({ name, value }));
  const container = { name: 'main', env, volumeMounts: [{ name: 'v1', mountPath: '/x' }] };
  const template = { template: { spec: { containers: [container] } } };
  return kinds.map((kind) => ({
    target: { kind },
    patch: stringify({
      ...{ apiVersion: 'x/v1', kind, metadata: { name: 'any' } },
      spec: kind === 'CronJob' ? { jobTemplate: { spec: template } } : template,
    }),
  }));
}

/** Defines the tests. @param folder Folder with the files. */
export function testKustomization(folder: string): void {
  test('labels, annotations, images, generators, prefix and namespace: as in batch/v1', async () => {
    const { operatorObject, batchObject } = await render(folder, {
      ...CONFIGURATIONS,
      ...{ namePrefix: 'p-', namespace: 'work', commonAnnotations: { note: 'x' } },
      labels: [
        { pairs: { tier: 'back' }, includeTemplates: true },
        { pairs: { team: 'data' }, includeSelectors: true },
      ],
      images: [{ name: 'busybox', newTag: '1.36' }],
      configMapGenerator: [{ name: 'settings', literals: ['b=1'] }],
      secretGenerator: [{ name: 'password', literals: ['c=1'] }],
    });
    expect(operatorObject.spec).toEqual(batchObject.spec);
    const text = JSON.stringify(operatorObject);
    const renamed = ['"busybox:1.36"', '"p-runner"', '"p-pull"', '"p-data"', '"name":"p-settings-', '"p-password-'];
    for (const part of renamed) expect(text).toContain(part);
    expect(text.match(/"note":"x"/g)).toHaveLength(3);
    expect(text.match(/"team":"data","tier":"back"/g)).toHaveLength(3);
  });

  test('commonLabels: as in batch/v1', async () => {
    const { operatorObject, batchObject } = await render(folder, { ...CONFIGURATIONS, commonLabels: { team: 'data' } });
    expect(operatorObject.spec).toEqual(batchObject.spec);
    expect(JSON.stringify(operatorObject).match(/"team":"data"/g)).toHaveLength(3);
  });

  test('patches merge lists as in batch/v1, and lists of other kinds as without the schema', async () => {
    const patches = createPatches('CronJob', 'Deployment');
    const [withSchema, without] = await Promise.all([
      render(folder, { ...OPENAPI, patches }),
      render(folder, { patches }),
    ]);
    expect(withSchema.operatorObject.spec).toEqual(without.batchObject.spec);
    expect(withSchema.batchObject).toEqual(without.batchObject);
    expect(withSchema.deployed).toEqual(without.deployed);
    expect(without.operatorObject.spec).not.toEqual(without.batchObject.spec);
  });
}
