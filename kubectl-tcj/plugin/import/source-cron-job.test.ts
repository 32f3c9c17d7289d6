import { describe, expect, test } from 'vitest';
import { SCHEDULED_TIMESTAMP_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { computeIdleState, computeTakeOverTime } from './source-cron-job.ts';
import { createJob, createSource } from './testing/sources.ts';

const time = (text: string) => new Date(`2026-01-01T${text}Z`);
const SUSPENDED_AT = '2026-01-01T12:00:30Z';
/** The entry that the API server writes for our suspension. */
const BY_US = {
  managedFields: [
    { manager: 'kubectl-tcj', time: SUSPENDED_AT, fieldsV1: { 'f:spec': { 'f:suspend': {} } } },
    { manager: 'kube-controller-manager', subresource: 'status', time: '2026-01-01T12:00:40Z', fieldsV1: {} },
  ],
};

describe('the new CronJob takes over after', () => {
  const from = (given: ReturnType<typeof createSource>, ...jobs: Parameters<typeof computeTakeOverTime>[1]) =>
    computeTakeOverTime(given, jobs, new Date(SUSPENDED_AT)).toISOString().slice(11, 19);

  test('the last scheduled time in the status of the source', () => {
    expect(from(createSource({}, {}, { lastScheduleTime: '2026-01-01T12:00:00Z' }))).toBe('12:00:00');
  });

  test('a later scheduled time of one of its Jobs', () => {
    const noted = createJob('nightly-1', '2026-01-01T12:00:31Z', {
      annotations: { [SCHEDULED_TIMESTAMP_ANNOTATION]: '2026-01-01T13:00:00+01:00' },
    });
    expect(from(createSource({}, {}, { lastScheduleTime: '2026-01-01T11:59:00Z' }), noted)).toBe('12:00:00');
  });

  test('a scheduled time from the name of a Job, in minutes', () => {
    const minutes = time('12:00:00').getTime() / 60_000;
    expect(from(createSource(), createJob(`nightly-${minutes}`, '2026-01-01T12:00:01Z'))).toBe('12:00:00');
    expect(from(createSource(), createJob('nightly-by-hand', '2026-01-01T12:00:01Z'))).toBe('11:55:30');
  });

  test('its creation time', () => {
    expect(from(createSource({}, { creationTimestamp: '2026-01-01T11:59:10Z' }))).toBe('11:59:10');
  });

  test('five minutes before the suspension at the earliest', () => {
    expect(from(createSource({}, {}, { lastScheduleTime: '2026-01-01T02:00:00Z' }))).toBe('11:55:30');
  });
});

describe('a suspended source', () => {
  const suspended = (spec: object = {}) => createSource({ suspend: true, ...spec }, BY_US);

  test('is busy for ten seconds, and a second of rounding', () => {
    expect(computeIdleState(suspended(), [], time('12:00:40.999')).kind).toBe('Busy');
    expect(computeIdleState(suspended(), [], time('12:00:41')).kind).toBe('Idle');
  });

  test('is busy for as long after a Job that it started', () => {
    const late = createJob('nightly-1', '2026-01-01T12:00:35Z');
    expect(computeIdleState(suspended(), [late], time('12:00:45')).kind).toBe('Busy');
    expect(computeIdleState(suspended(), [late], time('12:00:46')).kind).toBe('Idle');
  });

  test('is idle whatever Jobs of other owners do', () => {
    const { metadata, ...job } = createJob('other-1', '2026-01-01T12:00:45Z');
    const other = { ...job, metadata: { ...metadata, ownerReferences: [] } };
    expect(computeIdleState(suspended(), [other], time('12:00:46')).kind).toBe('Idle');
  });

  test.each(['Forbid', 'Replace'])('with %s waits for the active run', (concurrencyPolicy) => {
    const active = createJob('nightly-1', '2026-01-01T12:00:00Z');
    const ended = createJob('nightly-1', '2026-01-01T12:00:00Z', {
      status: { conditions: [{ type: 'Failed', status: 'True' }] },
    });
    const found = computeIdleState(suspended({ concurrencyPolicy }), [active], time('12:01:00'));
    expect(found).toEqual({ kind: 'Running', jobNames: ['nightly-1'] });
    expect(computeIdleState(suspended({ concurrencyPolicy }), [ended], time('12:01:00')).kind).toBe('Idle');
    expect(computeIdleState(suspended(), [active], time('12:01:00')).kind).toBe('Idle');
  });

  test('is resumed when another client resumes it', () => {
    expect(computeIdleState(createSource({ suspend: false }, BY_US), [], time('12:01:00')).kind).toBe('Resumed');
  });

  test('is busy while its suspension time is unknown', () => {
    expect(computeIdleState(createSource({ suspend: true }), [], time('23:00:00')).kind).toBe('Busy');
  });
});
