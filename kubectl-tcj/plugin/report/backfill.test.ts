import { expect, test } from 'vitest';
import type { CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { type BackfillOptions, createBackfillRequest } from './backfill.ts';

const NOW = new Date(at('06:30:00'));
const DEFAULTS = { order: 'OldestFirst', maxConcurrentRuns: 1, limit: 100 } as const;
const excessAdvice = 'use a shorter time';

function backfill(from: string, to: string, options: Partial<BackfillOptions> = {}, spec: Partial<CronJobSpec> = {}) {
  const span = { start: new Date(at(from)), end: new Date(at(to)) };
  return createBackfillRequest(cronJob(spec), { ...DEFAULTS, ...span, excessAdvice, ...options }, NOW);
}

test('includes the start and excludes the end', () => {
  expect(backfill('01:00:00', '04:00:00')).toEqual({
    kind: 'ok',
    predicate:
      'starts 3 runs, one at a time: first the run of Thu 2026-01-01 01:00 UTC, last the run of Thu 2026-01-01 03:00 UTC',
    spec: {
      cronJobName: 'hello',
      backfill: { ...DEFAULTS, startTime: at('01:00:00'), endTime: at('04:00:00') },
      ttlSecondsAfterFinished: 604_800,
    },
  });
});

test.each([
  [
    'in reverse, several at a time',
    backfill('01:00:00', '04:00:00', { order: 'NewestFirst', maxConcurrentRuns: 2 }),
    'starts 3 runs, up to 2 at a time: first the run of Thu 2026-01-01 03:00 UTC, last the run of Thu 2026-01-01 01:00 UTC',
  ],
  ['one run', backfill('01:00:00', '01:00:01'), 'starts the run of Thu 2026-01-01 01:00 UTC'],
  ['up to now', backfill('06:00:00', '20:00:00'), 'starts the run of Thu 2026-01-01 06:00 UTC'],
  [
    'without an excluded time',
    backfill('01:00:00', '03:00:00', {}, { exclude: [{ startTime: at('01:00:00'), endTime: at('01:30:00') }] }),
    'starts the run of Thu 2026-01-01 02:00 UTC',
  ],
])('describes %s', (_, request, predicate) => {
  expect(request).toMatchObject({ kind: 'ok', predicate });
});

const SPAN = 'between Thu 2026-01-01 01:00 UTC and Thu 2026-01-01 04:00 UTC';

test.each([
  ['an end before the start', backfill('02:00:00', '01:00:00'), 'the end must be after the start'],
  [
    'too many runs',
    backfill('01:00:00', '04:00:00', { limit: 2 }),
    `more than 2 runs were scheduled ${SPAN}; use a shorter time`,
  ],
  ['no runs', backfill('01:00:00', '04:00:00', {}, { schedule: '30 12 * * *' }), `no run was scheduled ${SPAN}`],
  [
    'an invalid schedule',
    backfill('01:00:00', '04:00:00', {}, { schedule: 'never' }),
    expect.stringContaining('never'),
  ],
])('refuses %s', (_, request, message) => {
  expect(request).toEqual({ kind: 'invalid', message });
});
