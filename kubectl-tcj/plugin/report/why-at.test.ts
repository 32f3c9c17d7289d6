/** The statuses are those that the core writes. */
import { describe, expect, test } from 'vitest';
import {
  IMPORTED_FROM_ANNOTATION,
  RUN_NOW_ANNOTATION,
  TAKES_OVER_FROM_ANNOTATION,
} from '../../../api/v1/groupversion.ts';
import { CoreWorld, REFUSED } from '../../../test/support/core-world.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { whyAt } from './why-at.ts';

const time = (text: string) => new Date(at(text));

const { seen } = CoreWorld;

describe('a scheduled time', () => {
  test('ran', () => {
    const world = seen();
    world.pass(at('01:00:00'));
    expect(whyAt(world.cronJob, time('01:00:00'), { now: time('05:00:00') }).sentence).toBe(
      'The run of Thu 2026-01-01 01:00 UTC is running, as Job hello-1767229200.',
    );
  });

  test.each(['01:30:00', '01:59:59'])('is that before %s, which is not in the schedule', (text) => {
    const world = seen({ timeZone: 'Europe/Berlin' });
    world.pass(at('01:00:00'));
    const shown = text.replace('01', '02').replace(/:00$/, '');
    expect(whyAt(world.cronJob, time(text), { now: time('05:00:00') })).toMatchObject({
      sentence:
        `Thu 2026-01-01 ${shown} Europe/Berlin is not in its schedule (0 * * * *): before it comes ` +
        'Thu 2026-01-01 02:00 Europe/Berlin, after it Thu 2026-01-01 03:00 Europe/Berlin. ' +
        'The run of Thu 2026-01-01 02:00 Europe/Berlin is running, as Job hello-1767229200.',
      run: { jobName: 'hello-1767229200' },
    });
  });

  test('was skipped, among others', () => {
    const world = seen({ concurrencyPolicy: 'Forbid' });
    world.pass(at('01:00:00'));
    world.pass(at('02:00:00'));
    world.pass(at('03:00:00'));
    world.pass(at('04:00:00'));
    expect(whyAt(world.cronJob, time('02:00:00'), { now: time('05:00:00') })).toEqual({
      sentence:
        'Thu 2026-01-01 02:00 UTC did not run, nor did another time, because an earlier run was still active (concurrencyPolicy Forbid).',
      change: expect.stringMatching(/^if its runs hang, set startTimeoutSeconds or activeDeadlineSeconds, /),
    });
  });

  test('is yet to come', () => {
    expect(whyAt(seen().cronJob, time('07:00:00'), { now: time('00:10:00') }).sentence).toBe(
      'Thu 2026-01-01 07:00 UTC (in 6h50m) is yet to come. The next one is due Thu 2026-01-01 01:00 UTC (in 50m).',
    );
  });

  test('is due, and has not run', () => {
    const world = seen();
    world.pass(at('01:00:00'), { started: REFUSED });
    expect(whyAt(world.cronJob, time('01:00:00'), { now: time('01:10:00') }).sentence).toMatch(
      /^Thu 2026-01-01 01:00 UTC \(10m ago\) has not run yet\. A run cannot start: /,
    );
  });

  test('was before the schedule took effect', () => {
    const world = seen();
    world.pass(at('01:00:00'));
    world.edit({ schedule: '30 * * * *' });
    world.pass(at('04:00:00'));
    expect(whyAt(world.cronJob, time('02:45:00'), { now: time('05:00:00') }).sentence).toBe(
      'The schedule took effect at Thu 2026-01-01 04:00 UTC, later than Thu 2026-01-01 02:45 UTC; what an earlier one did is no longer known.',
    );
    expect(whyAt(world.cronJob, time('01:00:00'), { now: time('05:00:00') }).sentence).toMatch(
      /^The run of .* 01:00 UTC is/,
    );
  });

  test('is yet to come, and not in the schedule', () => {
    expect(whyAt(seen().cronJob, time('07:30:00'), { now: time('00:10:00') }).sentence).toMatch(
      /^Thu 2026-01-01 07:30 UTC is not in its schedule .* 07:00 UTC, after it .* 08:00 UTC\. .* is yet to come\. /,
    );
  });

  test('is before all that there will be', () => {
    const world = seen({ schedule: '0 0 31 2 *' });
    expect(whyAt(world.cronJob, time('01:00:00'), { now: time('02:00:00') }).sentence).toBe(
      'Nothing was scheduled by Thu 2026-01-01 01:00 UTC.',
    );
  });

  test('is later than when the schedule took effect, and before its first time', () => {
    const world = seen({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' });
    const ask = () => whyAt(world.cronJob, time('00:39:00'), { now: time('01:00:00') }).sentence;
    expect(ask()).toBe(
      'Thu 2026-01-01 01:39 Europe/Berlin is not in its schedule (30 2 * * *): before it comes ' +
        'Wed 2025-12-31 02:30 Europe/Berlin, after it Thu 2026-01-01 02:30 Europe/Berlin. The schedule took effect at ' +
        'Thu 2026-01-01 01:00 Europe/Berlin, and had no time from then to Thu 2026-01-01 01:39 Europe/Berlin.',
    );
    world.annotate({ [RUN_NOW_ANNOTATION]: 'now' });
    world.pass(at('00:39:02'));
    expect(ask()).toMatch(/ The manual run at Thu 2026-01-01 01:39:02 Europe\/Berlin is running, as Job \S+\.$/);
    world.finish(at('00:41:00'));
    world.pass(at('00:41:00'));
    expect(ask()).toMatch(/ The manual run at .* 01:39:02 Europe\/Berlin succeeded after 118s\.$/);
    const asked = (text: string) => whyAt(world.cronJob, time(text), { now: time('01:00:00') }).sentence;
    expect(asked('00:40:30')).toContain('The manual run');
    expect(asked('00:38:00')).not.toContain('The manual run');
    expect(asked('00:41:01')).not.toContain('The manual run');
  });

  test('was that of batch/v1, before the import', () => {
    const world = new CoreWorld(
      cronJob({}, undefined, {
        annotations: { [IMPORTED_FROM_ANNOTATION]: 'uid', [TAKES_OVER_FROM_ANNOTATION]: '2025-12-31T23:55:00Z' },
      }),
    );
    world.pass(at('00:10:00'));
    expect(whyAt(world.cronJob, new Date('2025-12-31T23:00:00Z'), { now: time('05:00:00') }).sentence).toBe(
      'Wed 2025-12-31 23:00 UTC was up to the CronJob of batch/v1 that it was imported from: times after Wed 2025-12-31 23:55 UTC run here.',
    );
  });

  test('came while it was paused', () => {
    const world = seen({ pauseAfterFailures: 1 });
    world.pass(at('01:00:00'));
    world.finish(at('01:05:00'), 'Failed');
    world.pass(at('01:05:00'));
    world.pass(at('03:01:00'));
    expect(whyAt(world.cronJob, time('03:00:00'), { now: time('03:05:00') }).sentence).toMatch(
      /^Thu 2026-01-01 03:00 UTC \(5m ago\) did not run, because the CronJob was paused\. No run starts since /,
    );
  });

  test('is the one at which the schedule took effect', () => {
    const world = seen({ schedule: '0 2 * * *' });
    world.edit({ schedule: '0 * * * *' });
    world.pass(at('01:00:00'));
    expect(whyAt(world.cronJob, time('01:00:00'), { now: time('01:05:00') }).sentence).toBe(
      'The schedule took effect at Thu 2026-01-01 01:00 UTC, and only later times are its own; what an earlier one did is no longer known.',
    );
  });

  test('is no longer in the lists', () => {
    const world = seen({ recentRunsLimit: 1 });
    world.pass(at('01:00:00'));
    world.pass(at('02:00:00'));
    expect(whyAt(world.cronJob, time('01:00:00'), { now: time('02:10:00') }).sentence).toBe(
      'What became of Thu 2026-01-01 01:00 UTC is no longer known: the status lists only newer ones.',
    );
  });

  test('was before all of them', () => {
    const before = new Date('2020-01-01T00:00:00Z');
    expect(whyAt(seen({ schedule: '@every 1h' }).cronJob, before, { now: time('02:00:00') }).sentence).toBe(
      'Nothing was scheduled by Wed 2020-01-01 00:00 UTC.',
    );
  });
});
