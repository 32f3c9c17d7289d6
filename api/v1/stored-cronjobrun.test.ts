import { describe, expect, test } from 'vitest';
import type { CronJobRun } from './cronjobrun-types.ts';
import { parseCronJobRun } from './stored-cronjobrun.ts';

const metadata = { name: 'again', namespace: 'default', uid: 'a', resourceVersion: '1', creationTimestamp: '' };
const JOBS = [{ name: 'hello-r1', result: 'Running' }];
const CONDITION = { type: 'Complete', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '' };
const TIME = '2026-01-01T00:00:00Z';

/** As the API server may store it with another CRD. */
function stored(spec: unknown, status?: unknown): CronJobRun {
  const object: unknown = {
    apiVersion: 'a/v1',
    kind: 'CronJobRun',
    metadata,
    spec,
    ...(status !== undefined && { status }),
  };
  return object as CronJobRun;
}

test('returns a complete CronJobRun unchanged', () => {
  const spec = { cronJobName: 'hello', manual: {}, concurrencyPolicy: 'Obey', laterField: 'a' };
  const conditions = [{ ...CONDITION, lastTransitionTime: TIME }];
  const run = stored(spec, { startTime: TIME, jobs: JOBS, conditions, laterField: 'a' });
  expect(parseCronJobRun(run)).toEqual(run);
});

test('adds defaults', () => {
  const backfill = { startTime: TIME, endTime: '2026-01-02T00:00:00Z' };
  expect(parseCronJobRun(stored({ cronJobName: 'hello', backfill })).spec).toMatchObject({
    concurrencyPolicy: 'Obey',
    backfill: { ...backfill, order: 'OldestFirst', maxConcurrentRuns: 1, limit: 100 },
  });
});

describe('replaces an invalid spec by one without a request', () => {
  test.each<[what: string, spec: unknown, cronJobName: string, fault: string]>([
    ['absent', undefined, '', 'spec: Required value'],
    ['a text', 'a', '', 'spec: Invalid value: "a": must be of type object'],
    [
      'a number as name',
      { cronJobName: 5, manual: {} },
      '',
      'spec.cronJobName: Invalid value: 5: must be of type string',
    ],
    [
      'a name of no object',
      { cronJobName: '..', manual: {} },
      '..',
      'spec.cronJobName: Invalid value: "..": must match',
    ],
    ['no request', { cronJobName: 'hello' }, 'hello', 'give exactly one of: manual, scheduledTime, backfill'],
    [
      'the year 10000',
      { cronJobName: 'hello', scheduledTime: '9999-12-31T23:59:59-12:00' },
      'hello',
      'spec.scheduledTime: Invalid value: "9999-12-31T23:59:59-12:00": must be in the years 1 to 9999',
    ],
    ['a text as overrides', { cronJobName: 'hello', manual: {}, overrides: 'a' }, 'hello', 'spec.overrides: Invalid'],
  ])('%s', (_, spec, cronJobName, fault) => {
    const run = parseCronJobRun(stored(spec));
    expect(run.spec).toEqual({ cronJobName, concurrencyPolicy: 'Obey' });
    expect(run.specFault).toContain(fault);
  });
});

describe('removes invalid fields of the status', () => {
  const spec = { cronJobName: 'hello', manual: {}, concurrencyPolicy: 'Obey' };

  test.each<[what: string, status: unknown, want: object | undefined]>([
    ['a text', 'a', undefined],
    ['a text as conditions', { conditions: 'a', startTime: TIME }, { startTime: TIME }],
    ['numbers as Jobs', { jobs: [5], total: 1 }, { total: 1 }],
    ['a number as time', { startTime: 5, jobs: JOBS }, { jobs: JOBS }],
  ])('%s', (_, status, want) => {
    expect(parseCronJobRun(stored(spec, status)).status).toEqual(want);
  });
});

test.each([undefined, null, 'x', [], {}, { metadata: null, spec: 5, status: [] }])('accepts %j', (stored) => {
  expect(parseCronJobRun(stored)).toMatchObject({ metadata: { name: '' }, spec: { cronJobName: '' } });
});

test('omits invalid values', () => {
  const invalid = { ...metadata, uid: 5, annotations: { a: 'b', c: 5 } };
  const parsed = parseCronJobRun({
    metadata: invalid,
    spec: { cronJobName: 'hello', manual: {} },
    status: { jobs: 'none' },
  });
  expect(parsed).toMatchObject({
    metadata: { ...metadata, uid: '', annotations: { a: 'b' } },
    spec: { cronJobName: 'hello', concurrencyPolicy: 'Obey' },
  });
  expect(parsed.status).toEqual({});
  expect(parsed.metadata.annotations).not.toHaveProperty('c');
});
