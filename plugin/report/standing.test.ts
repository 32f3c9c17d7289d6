import { expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { byStanding, STANDINGS, type Standing, standingOf } from './standing.ts';

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

const examples: readonly (readonly [Standing, Parameters<typeof cronJob>[1]])[] = [
  ['Unobserved', undefined],
  ['OK', { conditions: fine }],
  ['OK', { conditions: fine, nextScheduleTime: '2026-01-01T01:00:01Z' }],
  ['Late', { conditions: fine, nextScheduleTime: '2026-01-01T01:00:00Z' }],
  ['Running', { conditions: fine, activeCount: 1 }],
  ['Suspended', { conditions: [condition('Available', 'False', 'Suspended')] }],
  ['Invalid', degraded('NeverFires')],
  ['Invalid', degraded('UnparseableSchedule')],
  ['Blocked', degraded('FailedCreate')],
  ['Failed', degraded('LastRunFailed')],
  ['Degraded', degraded('ClockSkew')],
  ['Degraded', degraded('constructor')],
  ['Paused', { ...degraded('LastRunFailed'), paused }],
  ['Overdue', { conditions: [...degraded('LastRunFailed').conditions, overdue], paused }],
];

test.each(examples)('%s', (standing, status) => {
  expect(standingOf(cronJob({}, status), NOW)).toBe(standing);
});

test('every standing has an example', () => {
  expect(new Set(examples.map(([standing]) => standing))).toEqual(new Set(STANDINGS));
});

test('the worst come first, then by namespace and name', () => {
  const of = (name: string, status: Parameters<typeof cronJob>[1], namespace = 'a') =>
    cronJob({}, status, { name, namespace });
  const sorted = [
    of('fine', { conditions: fine }),
    of('z', degraded('LastRunFailed')),
    of('x', degraded('LastRunFailed'), 'b'),
    of('never', degraded('NeverFires')),
    of('y', degraded('LastRunFailed')),
  ].toSorted(byStanding(NOW));
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual(['never', 'y', 'z', 'x', 'fine']);
});
