import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { getCronJobWarnings } from './cronjob-warnings.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const warningsOf = (schedule: string) => getCronJobWarnings(cronJob({ schedule }), { now: NOW, failoverSeconds: 15 });

describe('a step that is longer than its range gets a warning', () => {
  test.each([
    ['*/90 * * * *', 'minute "*/90"', 'hourly, at minute 0 of every hour', 'write 0 if you want that, or "@every 90m"'],
    ['?/60 * * * *', 'minute "?/60"', 'hourly, at minute 0 of every hour', '"@every 60m"'],
    ['0/75 * * * *', 'minute "0/75"', 'hourly, at minute 0 of every hour', '"@every 75m"'],
    ['0-59/61 * * * *', 'minute "0-59/61"', 'hourly, at minute 0 of every hour', '"@every 61m"'],
    ['10-20/15 * * * *', 'minute "10-20/15"', 'hourly, at minute 10 of every hour', 'write 10 if you want that'],
    ['50/30 * * * *', 'minute "50/30"', 'hourly, at minute 50 of every hour', 'write 50 if you want that'],
    ['0 */36 * * *', 'hour "*/36"', 'daily, at 00:00 every day', '"@every 36h"'],
    ['30 */24 * * *', 'hour "*/24"', 'daily, at 00:30 every day', '"@every 24h"'],
    ['0 0 */40 * *', 'day of month "*/40"', 'at 00:00 on day 1 of the month', '"@every 960h"'],
    ['0 0 1 */13 *', 'month "*/13"', 'at 00:00 on day 1 of the month, in January', 'write 1 if you want that'],
    ['0 0 * * */8', 'day of week "*/8"', 'at 00:00 on Sunday', 'write 0 if you want that'],
    ['0 0 * * mon-fri/5', 'day of week "mon-fri/5"', 'at 00:00 on Monday', 'write 1 if you want that'],
  ])('%s', (schedule, item, runs, fix) => {
    const [warning = '', ...others] = warningsOf(schedule);
    expect(others).toEqual([]);
    expect(warning).toContain(`spec.schedule: ${item} never reaches its step: runs ${runs}; write `);
    expect(warning).toContain(fix);
  });

  test('beside others that are reached, and where @every would lose what other fields say', () => {
    expect(warningsOf('5,*/90 8-17 * * *')).toEqual([
      'spec.schedule: minute "*/90" never reaches its step: runs at minutes 0 and 5 of hours 8 to 17, every day; write 0 if you want that',
    ]);
    expect(warningsOf('0 */36 * * 1-5').join()).not.toContain('@every');
  });
});

test.each([
  ...['*/59 * * * *', '*/40 * * * *', '10-20/10 * * * *', '0 */23 * * *', '5-5/1 * * * *', '59/1 * * * *'],
  ...['7 3 * * *', '*/1 * * * *', '@daily', '@every 90m'],
])('%s gets none', (schedule) => expect(warningsOf(schedule)).toEqual([]));

test('a warning fits into what the API server hands on, whatever the schedule, and a list gets three at most', () => {
  const step = fc.oneof(fc.integer({ min: 60, max: 200 }), fc.constant(9_000_000_000_000_000));
  const item = fc.tuple(fc.constantFrom('*', '?', '0-59', '00000000000000000000000000000007-9', '3'), step);
  const list = fc.array(item, { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(list, fc.constantFrom('*', '1,3,5,7,9,11,13,15,17,19,21,23'), (items, hours) => {
      const schedule = `${items.map(([range, each]) => `${range}/${each}`).join(',')} ${hours} 1,5,9,13,17,21 2,4,6,8 *`;
      const warnings = warningsOf(schedule).filter((each) => each.includes('never reaches'));
      expect(warnings.length).toBe(Math.min(3, items.length));
      for (const warning of warnings) expect(new TextEncoder().encode(warning).length).toBeLessThan(256);
    }),
  );
});
