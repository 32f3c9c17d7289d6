import { expect, test } from 'vitest';
import { parseCronJobRun } from './stored-cronjobrun.ts';

const METADATA = {
  name: 'a',
  namespace: 'b',
  uid: 'c',
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
};

test('keeps a valid CronJobRun', () => {
  const stored = {
    apiVersion: 'batch.tutorial.kubebuilder.io/v1',
    kind: 'CronJobRun',
    metadata: { ...METADATA, annotations: { a: 'b' } },
    spec: { cronJobName: 'hello', concurrencyPolicy: 'Obey', manual: {} },
    status: { total: 1, jobs: [{ name: 'hello-r1', result: 'Running' }] },
  };
  expect(parseCronJobRun(stored)).toEqual(stored);
});

test.each([undefined, null, 'x', [], {}, { metadata: null, spec: 5, status: [] }])('accepts %j', (stored) => {
  expect(parseCronJobRun(stored)).toMatchObject({ metadata: { name: '' }, spec: { cronJobName: '' } });
});

test('omits invalid values', () => {
  const metadata = { ...METADATA, uid: 5, annotations: { a: 'b', c: 5 } };
  const parsed = parseCronJobRun({ metadata, spec: { cronJobName: 'hello', manual: {} }, status: { jobs: 'none' } });
  expect(parsed).toMatchObject({
    metadata: { ...METADATA, uid: '', annotations: { a: 'b' } },
    spec: { cronJobName: 'hello', concurrencyPolicy: 'Obey' },
  });
  expect(parsed).not.toHaveProperty('status');
  expect(parsed.metadata.annotations).not.toHaveProperty('c');
});
