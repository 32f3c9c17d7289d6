import { describe, expect, test } from 'vitest';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { isSpecChanged, mergeSpec } from './merge-spec.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const manifest = { spec: { schedule: '0 3 * * *' } };
const stored = cronJob({ suspend: true, endTime: at('12:00:00') });

test('a field that is not in the manifest stays', () => {
  expect(mergeSpec(stored, manifest)).toMatchObject({ schedule: '0 3 * * *', suspend: true, endTime: at('12:00:00') });
});

test('a field that an earlier apply has set goes, and gets its default', () => {
  const lastApplied = JSON.stringify({ spec: { schedule: '0 * * * *', suspend: true, endTime: at('12:00:00') } });
  const applied = { ...stored, metadata: { ...stored.metadata, annotations: { [LAST_APPLIED]: lastApplied } } };
  const spec = mergeSpec(applied, manifest);
  expect(spec).toMatchObject({ schedule: '0 3 * * *', suspend: false });
  expect(spec).not.toHaveProperty('endTime');
});

test('a field that a server-side apply has set goes', () => {
  const entry = { manager: 'kubectl', operation: 'Apply' as const, fieldsV1: { 'f:spec': { 'f:endTime': {} } } };
  const applied = { ...stored, metadata: { ...stored.metadata, managedFields: [entry] } };
  const spec = mergeSpec(applied, manifest);
  expect(spec).toMatchObject({ suspend: true });
  expect(spec).not.toHaveProperty('endTime');
});

test('null removes a field', () => {
  const spec = mergeSpec(stored, { spec: { endTime: null, suspend: null } });
  expect(spec.suspend).toBe(false);
  expect(spec).not.toHaveProperty('endTime');
});

test.each(['{', 'null', '7', '{"spec":[]}'])('the annotation %j is ignored', (text) => {
  const odd = { ...stored, metadata: { ...stored.metadata, annotations: { [LAST_APPLIED]: text } } };
  expect(mergeSpec(odd, manifest)).toMatchObject({ suspend: true });
});

describe('a change of the spec', () => {
  const withPorts = (ports: readonly object[], image = 'busybox') => ({
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'hello', image, ports }] } } },
  });
  const jobTemplate = withPorts([{ containerPort: 80, protocol: 'TCP' }]) as CronJob['spec']['jobTemplate'];
  const withTemplate = cronJob({ jobTemplate });
  const applied = (template: object) => ({
    ...withTemplate,
    metadata: {
      ...withTemplate.metadata,
      annotations: { [LAST_APPLIED]: JSON.stringify({ spec: { jobTemplate: template } }) },
    },
  });

  test.each<[name: string, before: CronJob, spec: object, want: boolean]>([
    ['no field', withTemplate, {}, false],
    ['a schedule', withTemplate, { schedule: '5 * * * *' }, true],
    ['a template without the defaults', withTemplate, { jobTemplate: withPorts([{ containerPort: 80 }]) }, false],
    ['an image', withTemplate, { jobTemplate: withPorts([{ containerPort: 80 }], 'alpine') }, true],
    ['one port less', withTemplate, { jobTemplate: withPorts([]) }, true],
    [
      'a template as it was applied',
      applied(withPorts([{ containerPort: 80 }])),
      { jobTemplate: withPorts([{ containerPort: 80 }]) },
      false,
    ],
    [
      'a template without a field that was applied',
      applied({ ...jobTemplate, metadata: { labels: { a: 'b' } } }),
      { jobTemplate },
      true,
    ],
    ['a template that is a text', withTemplate, { jobTemplate: 'x' }, true],
    ['a list instead of an object', withTemplate, { jobTemplate: [{}] }, true],
  ])('is detected: %s', (_, before, spec, want) => {
    const changed = { spec };
    expect(isSpecChanged(before, changed, mergeSpec(before, changed))).toBe(want);
  });
});
