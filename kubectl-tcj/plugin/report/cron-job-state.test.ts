import { expect, test } from 'vitest';
import { RESUME_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { parseCronJob } from '../../../api/v1/stored-cronjob.ts';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import {
  CRON_JOB_STATES,
  type CronJobState,
  compareByState,
  computeState,
  formatState,
  needsAttention,
} from './cron-job-state.ts';

const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const fine = [condition('Available', 'True', 'AllJobsCompleted'), condition('Degraded', 'False', 'AsExpected')];
const degraded = (reason: string) => ({ conditions: [condition('Degraded', 'True', reason)] });
const overdue = condition('Overdue', 'True', 'NoRecentSuccess');
const paused = { reason: 'TooManyFailures', since: '2026-01-01T00:00:00Z' };

const NOW = new Date('2026-01-01T01:01:00.500Z');

const waits = { conditions: fine, activeCount: 1, reported: ['JobAlreadyActive/hello-1'] };

type StateExample = readonly [CronJobState, Parameters<typeof cronJob>[1], Parameters<typeof cronJob>[0]];

const examples: readonly StateExample[] = [
  ['Unobserved', undefined, {}],
  ['Malformed', { conditions: fine, recentRuns: 5 as never }, {}],
  ['OK', { conditions: fine }, {}],
  ['OK', { conditions: fine, nextScheduleTime: '2026-01-01T01:00:01Z' }, {}],
  ['Late', { conditions: fine, nextScheduleTime: '2026-01-01T01:00:00Z' }, {}],
  ['Running', { conditions: fine, activeCount: 1 }, {}],
  ['Suspended', { conditions: fine }, { suspend: true }],
  ['Suspended', { conditions: fine }, { suspendUntil: '2026-01-01T01:01:01Z' }],
  ['OK', { conditions: fine }, { suspendUntil: '2026-01-01T01:01:00Z' }],
  ['Waiting', waits, { concurrencyPolicy: 'Forbid' }],
  ['Running', waits, {}],
  ['OK', { ...waits, activeCount: 0 }, { concurrencyPolicy: 'Forbid' }],
  ['Invalid', degraded('NeverFires'), {}],
  ['Invalid', degraded('NeverFires'), { suspendUntil: '2026-01-01T01:01:01Z' }],
  ['Suspended', degraded('NeverFires'), { suspend: true }],
  ['Invalid', degraded('UnparseableSchedule'), {}],
  ['Blocked', degraded('FailedCreate'), {}],
  ['Failed', degraded('LastRunFailed'), {}],
  ['Degraded', degraded('ClockSkew'), {}],
  ['Degraded', degraded('constructor'), {}],
  ['Paused', { ...degraded('LastRunFailed'), paused }, {}],
  ['Overdue', { conditions: [...degraded('LastRunFailed').conditions, overdue], paused }, {}],
];

test.each(examples)('%s', (standing, status, spec) => {
  expect(computeState(parseCronJob(cronJob(spec, status)), NOW)).toBe(standing);
});

test('shows a suspension in addition to a worse state', () => {
  const shown = (status: Parameters<typeof cronJob>[1], spec = { suspend: true }) =>
    formatState(cronJob(spec, status), NOW);
  expect(shown(degraded('FailedCreate'))).toBe('Blocked,Suspended');
  expect(shown(degraded('LastRunFailed'))).toBe('Failed,Suspended');
  expect(shown({ conditions: fine })).toBe('Suspended');
  expect(shown(degraded('NeverFires'))).toBe('Suspended');
  expect(shown(undefined)).toBe('Unobserved');
  expect(shown(degraded('FailedCreate'), { suspend: false })).toBe('Blocked');
});

test('shows a pause in addition to a worse state', () => {
  const isOverdue = { conditions: [...degraded('LastRunFailed').conditions, overdue], paused };
  const shown = (spec: object) => formatState(cronJob(spec, isOverdue), NOW);
  expect(shown({})).toBe('Overdue,Paused');
  expect(shown({ suspend: true })).toBe('Overdue,Paused,Suspended');
  expect(formatState(cronJob({}, { ...degraded('LastRunFailed'), paused }), NOW)).toBe('Paused');
});

test('is not paused after a resume or an edit', () => {
  const annotations = { [RESUME_ANNOTATION]: 'now' };
  const status = { ...degraded('LastRunFailed'), paused, observedGeneration: 1 };
  const standing = (more: object, metadata: object) => computeState(cronJob({}, { ...status, ...more }, metadata), NOW);
  expect(standing({}, {})).toBe('Paused');
  expect(standing({}, { annotations })).toBe('Failed');
  expect(standing({ lastResume: 'now' }, { annotations })).toBe('Paused');
  expect(standing({}, { generation: 2 })).toBe('Failed');
});

test('sorts a waiting CronJob before a suspended one', () => {
  expect(CRON_JOB_STATES.filter((each) => !needsAttention(each))).toEqual(['Suspended', 'Running', 'OK']);
});

test('every state has an example', () => {
  expect(new Set(examples.map(([standing]) => standing))).toEqual(new Set(CRON_JOB_STATES));
});

test('sorts by state, worst first, then by namespace and name', () => {
  const of = (name: string, status: Parameters<typeof cronJob>[1], namespace = 'a') =>
    cronJob({}, status, { name, namespace });
  const sorted = [
    of('fine', { conditions: fine }),
    of('z', degraded('LastRunFailed')),
    of('x', degraded('LastRunFailed'), 'b'),
    of('never', degraded('NeverFires')),
    of('y', degraded('LastRunFailed')),
  ].toSorted(compareByState(NOW));
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual(['never', 'y', 'z', 'x', 'fine']);
});
