import { expect, test } from 'vitest';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { mergeSpec } from './merge-spec.ts';

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
