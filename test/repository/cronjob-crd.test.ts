import type { StructuralSchema } from 'controller-runtime';
import { structuralFaults } from 'controller-runtime/manifests';
import { expect, test } from 'vitest';
import { CONCURRENCY_POLICIES, MAX_SCHEDULE_LENGTH, MAX_TIME_ZONE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import { createCronJobCrd } from '../../hack/crd/cronjob-crd.ts';

const crd = createCronJobCrd();
const [version] = crd.spec.versions;
const root = version.schema.openAPIV3Schema;

/** The schema at a dotted path; an element of a list is `[]`. */
function at(path: string): StructuralSchema {
  return path.split('.').reduce((schema, key) => {
    const child = key === '[]' ? schema.items : schema.properties?.[key];
    if (child === undefined) throw new Error(`no ${key} on the way to ${path}`);
    return child;
  }, root);
}

test('is structural', () => {
  expect(structuralFaults(root)).toEqual([]);
});

/** kubectl stores the whole manifest in an annotation; the API server allows 256 KiB of annotations. */
test('uses less than half of the annotation of client-side apply', () => {
  expect(JSON.stringify(crd).length).toBeLessThan(128 * 1024);
});

test('has the limits of api/v1', () => {
  expect(at('spec.concurrencyPolicy').enum).toEqual(CONCURRENCY_POLICIES);
  expect(at('spec.schedule')).toMatchObject({ minLength: 1, maxLength: MAX_SCHEDULE_LENGTH });
  expect(at('spec.timeZone')).toMatchObject({ minLength: 1, maxLength: MAX_TIME_ZONE_LENGTH });
  for (const limit of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']) {
    expect(at(`spec.${limit}`)).toMatchObject({ type: 'integer', format: 'int32', minimum: 0 });
  }
  expect(at('spec.startingDeadlineSeconds')).toMatchObject({ type: 'integer', format: 'int64', minimum: 0 });
  for (const limit of ['catchUpLimit', 'queueLimit', 'maxConcurrentRuns']) {
    expect(at(`spec.${limit}`)).toMatchObject({ type: 'integer', format: 'int32', minimum: 1, maximum: 1000 });
  }
  expect(at('spec.jitterSeconds')).toMatchObject({ type: 'integer', minimum: 0, maximum: 86_400 });
  expect(at('spec.schedules')).toMatchObject({ maxItems: 10 });
  expect(at('spec.exclude')).toMatchObject({ maxItems: 50 });
  expect(at('spec.exclude.[].dates')).toMatchObject({ minItems: 1, maxItems: 366 });
});

test.each([
  'spec.jobTemplate.metadata',
  'spec.jobTemplate.spec.template.metadata',
  'spec.jobTemplate.spec.template.spec.volumes.[].ephemeral.volumeClaimTemplate.metadata',
])('keeps labels and annotations in %s', (path) => {
  expect(Object.keys(at(path).properties ?? {})).toEqual(expect.arrayContaining(['labels', 'annotations']));
});

test('has no rule on the whole object, which could block objects that another CRD admitted', () => {
  expect(root['x-kubernetes-validations']).toEqual([
    expect.objectContaining({ optionalOldSelf: true, rule: expect.stringMatching(/^oldSelf\.hasValue\(\) \|\| /) }),
  ]);
});

test('refuses new selectors of Jobs, and accepts stored ones', () => {
  for (const field of ['selector', 'manualSelector']) {
    expect(at(`spec.jobTemplate.spec.${field}`)['x-kubernetes-validations']).toEqual([
      expect.objectContaining({ optionalOldSelf: true, rule: expect.stringContaining('oldSelf.hasValue() && ') }),
    ]);
  }
});

test('accepts several requests of one claim', () => {
  for (const path of ['', 'containers.[].', 'initContainers.[].']) {
    const claims = at(`spec.jobTemplate.spec.template.spec.${path}resources.claims`);
    expect(claims).toMatchObject({ type: 'array', 'x-kubernetes-list-type': 'atomic' });
    expect(claims['x-kubernetes-list-map-keys']).toBeUndefined();
  }
});

test('merges the variables of a container by name, with one owner each', () => {
  for (const containers of ['containers', 'initContainers', 'ephemeralContainers']) {
    const env = at(`spec.jobTemplate.spec.template.spec.${containers}.[].env`);
    expect(env).toMatchObject({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] });
    expect(env.items).toMatchObject({ 'x-kubernetes-map-type': 'atomic' });
  }
});

test('describes every field', () => {
  const undescribed = (schema: StructuralSchema, path: string): readonly string[] => [
    ...(schema.description === undefined && !path.endsWith('[]') ? [path] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, child]) =>
      key === 'jobTemplate' ? [] : undescribed(child, `${path}.${key}`),
    ),
    ...(schema.items ? undescribed(schema.items, `${path}[]`) : []),
  ];
  expect([...undescribed(at('spec'), 'spec'), ...undescribed(at('status'), 'status')]).toEqual([]);
});

test('prints only columns with a field in the schema', () => {
  for (const { jsonPath } of version.additionalPrinterColumns) {
    if (jsonPath.startsWith('.metadata.')) continue;
    // One element of a list, selected by a field: the displayed field, and the selecting one.
    const [, list = '', key = '', field = ''] = /^\.(.+)\[\?\(@\.(\w+)==".+"\)\]\.(\w+)$/.exec(jsonPath) ?? [];
    const paths = list === '' ? [jsonPath.slice(1)] : [`${list}.[].${key}`, `${list}.[].${field}`];
    for (const path of paths) expect(at(path).type, path).toBeDefined();
  }
});

test('does not limit the number of active Jobs', () => {
  expect(at('status.active').maxItems).toBeUndefined();
});
