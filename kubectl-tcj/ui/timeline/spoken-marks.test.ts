import { expect, test } from 'vitest';
import { formatRecentSkip } from '../../../api/v1/recent-lines.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { marksOf } from '../model/marks.ts';
import { spokenMarks } from './spoken-marks.ts';

const NOW = new Date(at('10:07:30'));
const RANGE = { fromMs: Date.parse(at('04:00:00')), untilMs: Date.parse(at('12:00:00')) };

function spoken(...[spec, status]: Parameters<typeof cronJob>): string {
  const given = cronJob(spec, status);
  return spokenMarks(given, marksOf(given, RANGE, NOW), NOW);
}

test('counts results and skipped times, and says which time is next', () => {
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
  expect(spoken({ timeZone: 'Asia/Tokyo' }, { recentRuns, recentSkips })).toBe(
    '1 Running, 2 Succeeded, 2 skipped, 2 to come, the next Thu 2026-01-01 20:00 Asia/Tokyo (in 52m)',
  );
});

test('says where there are more to come than are shown', () => {
  expect(spoken({ schedule: '@every 10s' })).toMatch(/^300 or more to come, the next /);
});

test('says that there is nothing', () => {
  expect(spoken({ suspend: true })).toBe('Nothing in the time that is shown');
});
