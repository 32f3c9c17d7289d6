import { expect, test } from 'vitest';
import { formatRecentSkip } from '../../../api/v1/recent-lines.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { computeMarks } from '../model/timeline-marks.ts';
import { describeMarks } from './describe-marks.ts';

const NOW = new Date(at('10:07:30'));
const RANGE = { fromMs: Date.parse(at('04:00:00')), untilMs: Date.parse(at('12:00:00')) };

function describe(...[spec, status]: Parameters<typeof cronJob>): string {
  const described = cronJob(spec, status);
  return describeMarks(described, computeMarks(described, RANGE, NOW), NOW);
}

test('counts results and skipped times, and names the next time', () => {
  const recentRuns = [
    `${at('10:00:00')} Running run-10 Schedule`,
    `${at('09:00:00')} Succeeded run-9 Schedule took=5m`,
    `${at('08:00:00')} Succeeded run-8 Schedule took=5m`,
  ];
  const recentSkips = [
    formatRecentSkip({
      firstTime: new Date(at('06:00:00')),
      lastTime: new Date(at('07:00:00')),
      count: 2,
      reason: 'Suspended',
    }),
  ];
  expect(describe({ timeZone: 'Asia/Tokyo' }, { recentRuns, recentSkips })).toBe(
    '1 Running, 2 Succeeded, 2 skipped, 2 upcoming, the next Thu 2026-01-01 20:00 Asia/Tokyo (in 52m)',
  );
});

test('says that there are more upcoming times than marks', () => {
  expect(describe({ schedule: '@every 10s' })).toMatch(/^300 or more upcoming, the next /);
});

test('says that there are no runs', () => {
  expect(describe({ suspend: true })).toBe('No runs in this time range');
});
