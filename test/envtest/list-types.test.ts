/** The lists of jobTemplate that may not have duplicates: the responses of batch/v1 and of our CRD to a duplicate. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Resource, resourcePath } from 'controller-runtime/kubernetes';
import type { StructuralSchema } from 'controller-runtime/schema';
import { afterAll, expect, inject, test } from 'vitest';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { readJobTemplateSchema } from '../../hack/crd/cronjob-crd.ts';
import { PROJECT } from '../support/manifests.ts';
import { createNamespace } from '../support/namespace.ts';
import { batchCronJobs } from './support/cron-job-endpoint.ts';
import { RawApi, type RawResponse } from './support/raw-api.ts';

const api = new RawApi();
afterAll(() => api[Symbol.dispose]());

type JsonFields = Readonly<Record<string, unknown>>;

/** Creates a CronJob with this template in a dry run. */
function tryCreate(resource: Resource, namespace: string, jobTemplate: unknown): Promise<RawResponse<unknown>> {
  const apiVersion = resource === batchCronJobs ? 'batch/v1' : API_VERSION;
  const body = { apiVersion, kind: KIND, metadata: { name: 'hello' }, spec: { schedule: '@daily', jobTemplate } };
  return api.send({ method: 'POST', path: resourcePath(resource, namespace), query: 'dryRun=All', body });
}

/** Paths of the lists in a schema whose elements must differ; `[]` is an element. */
function listUniqueLists(schema: StructuralSchema, path = ''): readonly string[] {
  const type = schema['x-kubernetes-list-type'];
  const below = path === '' ? '' : `${path}.`;
  return [
    ...(type === 'map' || type === 'set' ? [path] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) => listUniqueLists(child, `${below}${name}`)),
    ...(schema.items ? listUniqueLists(schema.items, `${path}[]`) : []),
  ];
}

/** An element, and the fields that differ in a second one of the same key; by the end of the list's path. */
const DUPLICATES: readonly (readonly [pathEnd: string, element: unknown, difference?: JsonFields])[] = [
  ['metadata.finalizers', 'example.com/a'],
  ['onExitCodes.values', 1],
  ['exitCodes.values', 1],
  ['env', { name: 'A', value: '1' }, { value: '2' }],
  ['ports', { containerPort: 80, name: 'a' }, { name: 'b' }],
  ['resources.claims', { name: 'c', request: 'a' }, { request: 'b' }],
  ['volumeDevices', { name: 'v', devicePath: '/d' }, { name: 'w' }],
  ['volumeMounts', { name: 'v', mountPath: '/m' }, { name: 'w' }],
  ['hostAliases', { ip: '10.0.0.1', hostnames: ['a'] }, { hostnames: ['b'] }],
  ['imagePullSecrets', { name: 's' }, {}],
  ['resourceClaims', { name: 'x', resourceClaimName: 'a' }, { resourceClaimName: 'b' }],
  ['schedulingGates', { name: 'example.com/g' }, {}],
  ['volumes', { name: 'x', emptyDir: {} }, { emptyDir: { medium: 'Memory' } }],
  ['Containers', { name: 'x', image: 'i' }, { image: 'j' }],
  ['containers', { name: 'x', image: 'i' }, { image: 'j' }],
  ['topologySpreadConstraints', createSpread(1), createSpread(2)],
];

function createSpread(maxSkew: number): JsonFields {
  const labelSelector = { matchLabels: { app: String(maxSkew) } };
  return { maxSkew, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector };
}

/** First elements of the parent lists of a list. */
const REQUIRED_FIELDS: Readonly<Record<string, JsonFields>> = {
  containers: { name: 'c', image: 'i' },
  initContainers: { name: 'i', image: 'i' },
  ephemeralContainers: { name: 'e', image: 'i' },
  rules: { action: 'FailJob', onExitCodes: { operator: 'In' } },
  restartPolicyRules: { action: 'Restart', exitCodes: { operator: 'In' } },
  volumes: {
    name: 'e',
    ephemeral: {
      volumeClaimTemplate: {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    },
  },
};

const claim = (name: string) => ({ name, persistentVolumeClaim: { claimName: name } });
const POD = {
  restartPolicy: 'Never',
  containers: [REQUIRED_FIELDS['containers']],
  volumes: [REQUIRED_FIELDS['volumes'], claim('v'), claim('w')],
  resourceClaims: [{ name: 'c', resourceClaimTemplateName: 't' }],
};

/** A valid template, except for the list at `path`. */
function createTemplate(path: string, elements: readonly unknown[]): unknown {
  return setAtPath({ spec: { template: { spec: POD } } }, path.split('.'), elements);
}

function setAtPath(node: unknown, [head = '', ...rest]: readonly string[], value: unknown): unknown {
  const name = head.replace('[]', '');
  const object = (node ?? {}) as JsonFields;
  if (rest.length === 0) return { ...object, [name]: value };
  if (name === head) return { ...object, [name]: setAtPath(object[name], rest, value) };
  const [first = REQUIRED_FIELDS[name], ...others] = (object[name] ?? []) as readonly JsonFields[];
  const restartable = name === 'containers' || name === 'initContainers' ? { restartPolicy: 'Never' } : {};
  const element = rest[0] === 'restartPolicyRules[]' ? { ...first, ...restartable } : first;
  return { ...object, [name]: [setAtPath(element, rest, value), ...others] };
}

/** The response of an API to a list with a duplicate. */
type DuplicateHandling = 'accepts' | 'warns' | 'refuses' | 'refuses any list';

/** `refuses any list`: the API also refuses a list with one element. */
async function testDuplicate(resource: Resource, namespace: string, path: string): Promise<DuplicateHandling> {
  const [, element, difference] = DUPLICATES.find(([end]) => path.endsWith(end)) ?? expect.fail(path);
  const single = await tryCreate(resource, namespace, createTemplate(path, [element]));
  if (single.code !== 201) return 'refuses any list';
  const second = difference === undefined ? element : { ...(element as JsonFields), ...difference };
  const { code, body, warnings } = await tryCreate(resource, namespace, createTemplate(path, [element, second]));
  if (code === 201) return warnings.length > 0 ? 'warns' : 'accepts';
  expect(body.details?.causes?.map(({ field }) => field)).toEqual([
    expect.stringContaining(path.replaceAll('[]', '[0]')),
  ]);
  return 'refuses';
}

type ListRow = readonly [list: string, builtIn: string, here: string];

/** The rows of the table in docs/differences.md, one for each list: `{a,b}` in a path stands for two lists. */
function readDocumentedRows(): readonly ListRow[] {
  const page = readFileSync(join(PROJECT, 'docs/differences.md'), 'utf8');
  const [, section = ''] = page.split('## Duplicates in lists of the template');
  return section.split('\n').flatMap((line) => {
    const [, lists = '', builtInSays = '', ourSays = ''] = line.split('|').map((cell) => cell.trim());
    const paths = [...lists.matchAll(/`([^`]+)`/g)].flatMap(([, path = '']) => expandPath(path));
    return paths.map((path): ListRow => [path, builtInSays, ourSays]);
  });
}

function expandPath(path: string): readonly string[] {
  const [, before, names = '', after] = /^(.*?)\{(.*?)\}(.*)$/.exec(path) ?? [];
  return before === undefined ? [path] : names.split(',').flatMap((name) => expandPath(`${before}${name}${after}`));
}

test('docs/differences.md has every list with unique elements, and how batch/v1 and this operator handle duplicates', async () => {
  const namespace = await createNamespace(inject('apiServer'), 'lists');
  const found: ListRow[] = [];
  for (const path of listUniqueLists(readJobTemplateSchema().schema)) {
    const [builtInSays, weSay] = [batchCronJobs, cronJobs].map((resource) => testDuplicate(resource, namespace, path));
    found.push([path, (await builtInSays) ?? '', (await weSay) ?? '']);
  }
  expect(found.length).toBeGreaterThan(30);
  expect(readDocumentedRows().toSorted()).toEqual(found.toSorted());
});
