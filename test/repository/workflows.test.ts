/** Checks that actionlint does not make. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as versions from '../../hack/control-plane/versions.ts';

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, WorkflowJob>>;
}
interface WorkflowJob {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
}

const WORKFLOWS = globSync('.github/workflows/*.yaml').sort();
const read = (file: string): Workflow => parse(readFileSync(file, 'utf8'));

test('has a workflow for the checks, the tests, a cluster, the documentation and a release', () => {
  expect(WORKFLOWS.map((file) => file.split('/').at(-1))).toEqual([
    'docs.yaml',
    'e2e.yaml',
    'release.yaml',
    'test.yaml',
    'verify.yaml',
  ]);
});

test.each(WORKFLOWS)('%s has no top-level permissions, and each job has a timeout', (file) => {
  const { permissions, jobs } = read(file);
  expect(permissions).toEqual({});
  for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
});

test('only a release may write, and the documentation its site', () => {
  for (const file of WORKFLOWS.filter((name) => !name.endsWith('/release.yaml'))) {
    for (const [name, { permissions }] of Object.entries(read(file).jobs)) {
      const deploysSite = file.endsWith('/docs.yaml') && name === 'deploy';
      expect(permissions).toEqual(deploysSite ? { pages: 'write', 'id-token': 'write' } : { contents: 'read' });
    }
  }
});

test.each(WORKFLOWS)('%s pins each action by a full version or a commit, and keeps no token in the clone', (file) => {
  const steps = Object.values(read(file).jobs).flatMap((job) => job.steps);
  for (const { uses, with: inputs } of steps) {
    if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@(v\d+\.\d+\.\d+|[0-9a-f]{40})$/);
    if (uses?.startsWith('actions/checkout@')) expect(inputs).toMatchObject({ 'persist-credentials': false });
  }
});

test.each(WORKFLOWS)('%s has no expression in a script, where its value would run', (file) => {
  const scripts = Object.values(read(file).jobs).flatMap((job) => job.steps.map(({ run = '' }) => run));
  for (const script of scripts) expect(script).not.toContain('${{');
});

test('renovate finds every version that hack/control-plane/versions.ts pins', () => {
  const { customManagers } = JSON.parse(readFileSync('renovate.json', 'utf8'));
  const [manager] = customManagers;
  const file = 'hack/control-plane/versions.ts';
  expect(file).toMatch(new RegExp(manager.managerFilePatterns[0].replace(/^\/|\/$/g, '')));
  const found = [...readFileSync(file, 'utf8').matchAll(new RegExp(manager.matchStrings[0], 'g'))];
  // The oldest version stays until a maintainer drops support for it.
  const isRaised = (name: string) => name.endsWith('_VERSION') && name !== 'OLDEST_KUBERNETES_VERSION';
  const pinned = Object.entries(versions).filter(([name]) => isRaised(name));
  expect(found.map(({ groups }) => groups?.['currentValue'])).toEqual(
    expect.arrayContaining(pinned.map(([, version]) => version)),
  );
  expect(found).toHaveLength(pinned.length);
});

test.each([
  ['kubernetes', 'k8s.io/kubernetes', versions.KUBERNETES_VERSION],
  ['kwok', 'sigs.k8s.io/kwok', versions.KWOK_VERSION],
  ['helm', 'helm.sh/helm/v4', versions.HELM_VERSION],
  ['actionlint', 'github.com/rhysd/actionlint', versions.ACTIONLINT_VERSION],
  ['kubeconform', 'github.com/yannh/kubeconform', versions.KUBECONFORM_VERSION],
  ['krew', 'sigs.k8s.io/krew', versions.KREW_VERSION],
])('%s is built from the version that other files download', (folder, module, version) => {
  const file = readFileSync(`hack/control-plane/go/${folder}/go.mod`, 'utf8');
  expect(file).toMatch(new RegExp(`^(require |\\t)${`${module} v${version}`.replaceAll('.', '\\.')}$`, 'm'));
});
