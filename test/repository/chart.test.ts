/** Checks of the chart without helm. test/envtest/chart.test.ts renders it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { KUBERNETES_VERSION, OLDEST_KUBERNETES_VERSION } from '../../hack/control-plane/versions.ts';

const PROJECT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(PROJECT, file), 'utf8');
const values = parse(read('charts/cronjob-operator/values.yaml'));

test('the chart has the version of the project', () => {
  const { version } = JSON.parse(read('package.json'));
  expect(parse(read('charts/cronjob-operator/Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

test('chart and pages name the oldest and the newest Kubernetes that tests run on', () => {
  const minor = (version: string) => version.split('.').slice(0, 2).join('.');
  const [oldest, newest] = [minor(OLDEST_KUBERNETES_VERSION), minor(KUBERNETES_VERSION)];
  expect(parse(read('charts/cronjob-operator/Chart.yaml')).kubeVersion).toBe(`>=${oldest}.0-0`);
  expect(read('docs/install.md')).toContain(`Kubernetes ${oldest} to ${newest}`);
  expect(read('docs/install.md')).toContain(OLDEST_KUBERNETES_VERSION);
  expect(read('README.md')).toContain(`Kubernetes ${oldest} to ${newest}`);
  const module = read('hack/control-plane/go/kubernetes-oldest/go.mod');
  expect(module).toContain(`require k8s.io/kubernetes v${OLDEST_KUBERNETES_VERSION}`);
});

interface ValuesSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, ValuesSchema>>;
  readonly properties?: Readonly<Record<string, ValuesSchema>>;
}

test('every value has a schema, and every schema has a value', () => {
  const schema: ValuesSchema = JSON.parse(read('charts/cronjob-operator/values.schema.json'));
  const { global: _, ...properties } = schema.properties ?? {};
  const keys = (object: object | undefined) => Object.keys(object ?? {}).toSorted();
  expect(keys(properties)).toEqual(keys(values));
  for (const [name, own] of Object.entries(properties)) {
    const { properties: nested } = schema.$defs?.[own.$ref?.split('/').at(-1) ?? ''] ?? own;
    if (nested !== undefined) expect([name, keys(nested)]).toEqual([name, keys(values[name])]);
  }
});

test('every value is in docs/install.md', () => {
  const rows = read('docs/install.md').match(/^\| `.*? \|/gm) ?? [];
  const listed = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(listed).toEqual(expect.arrayContaining(Object.keys(values)));
});

test('every value in the docs exists', () => {
  const pages = ['docs/install.md', 'docs/security.md'].map(read).join('\n');
  const set = [...pages.matchAll(/--set '?([\w.]+)=/g)].map(([, path = '']) => path);
  expect(set.length).toBeGreaterThan(3);
  const missing = set.filter((path) => path.split('.').reduce((value, key) => value?.[key], values) === undefined);
  expect(missing).toEqual([]);
});
