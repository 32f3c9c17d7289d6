/** The statuses are those that the core writes. */
import { describe, expect, test } from 'vitest';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { MISSED_REASONS, SKIPPED_REASONS } from '../../../api/v1/reasons.ts';
import { CoreWorld, REFUSED } from '../../../test/support/core-world.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { remedyText } from './remedy.ts';
import type { NotStarted } from './told-run.ts';
import { why } from './why.ts';
import { whySkipped } from './why-skipped.ts';

const time = (text: string) => new Date(at(text));

const { seen } = CoreWorld;

describe('how a CronJob stands', () => {
  test('nobody has looked at it', () => {
    expect(why(cronJob(), time('00:00:10')).sentence).toBe('No controller has looked at it yet.');
  });

  test('it has not run yet', () => {
    expect(why(seen().cronJob, time('00:10:00'))).toEqual({
      sentence: 'Nothing is wrong. It has not run yet. The next one is due Thu 2026-01-01 01:00 UTC (in 50m).',
    });
  });

  test('it runs', () => {
    const world = seen();
    world.pass(at('01:00:00'));
    expect(why(world.cronJob, time('01:10:00'))).toEqual({
      sentence:
        'The run of Thu 2026-01-01 01:00 UTC is running, as Job hello-1767229200. ' +
        'The next one is due Thu 2026-01-01 02:00 UTC (in 50m).',
      change: 'see what it prints',
      command: { kind: 'Logs', line: 'kubectl tcj logs hello -n default --run hello-1767229200' },
      run: { jobName: 'hello-1767229200', result: 'Running', createdTime: time('01:00:00') },
    });
  });

  test.each([[10], [0]])('it has not started, and the status lists at most %s runs', (recentRunsLimit) => {
    const world = seen({ recentRunsLimit });
    world.pass(at('01:00:00'));
    const pods = {
      jobName: 'hello-1767229200',
      sentence: '',
      notStarted: { since: at('01:01:00'), why: 'it has no Pod' },
    };
    const { sentence, change } = why(world.cronJob, time('01:10:00'), { ...pods, remedy: { change: 'look at it' } });
    const name = recentRunsLimit === 0 ? 'Job hello-1767229200' : 'The run of .* 01:00 UTC, Job hello-1767229200,';
    expect(sentence).toMatch(new RegExp(`^${name} has not started for 9m: it has no Pod\\. The next one is due`));
    expect(change).toBe('look at it');
  });

  test.each([[10], [0]])('what it printed is gone, and the status lists at most %s runs', (recentRunsLimit) => {
    const world = seen({ recentRunsLimit });
    world.pass(at('01:00:00'));
    world.finish(at('01:20:00'), 'Failed');
    world.pass(at('01:20:00'));
    const pods = { jobName: 'hello-1767229200', sentence: 'They are gone.', areGone: true };
    const { sentence, change } = why(world.cronJob, time('01:30:00'), pods);
    expect(sentence).toContain(' They are gone. ');
    expect(change).toBeUndefined();
  });

  test('it runs, and its Pods tell what it waits for', () => {
    const world = seen();
    world.pass(at('01:00:00'));
    const pods = {
      jobName: 'hello-1767229200',
      sentence: 'Its Pod a waits: Pending.',
      remedy: { change: 'look at a' },
    };
    expect(why(world.cronJob, time('01:10:00'), pods)).toMatchObject({
      sentence:
        'The run of Thu 2026-01-01 01:00 UTC is running, as Job hello-1767229200. Its Pod a waits: Pending. ' +
        'The next one is due Thu 2026-01-01 02:00 UTC (in 50m).',
      change: 'look at a',
    });
    const { sentence } = why(world.cronJob, time('01:10:00'), { ...pods, jobName: 'another' });
    expect(sentence).not.toContain('Pod');
  });

  test('it runs, and a later time was skipped', () => {
    const world = seen({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 60 });
    world.pass(at('01:00:00'));
    world.pass(at('02:00:00'));
    world.pass(at('02:02:00'));
    expect(why(world.cronJob, time('02:10:00'))).toMatchObject({
      sentence: expect.stringMatching(/^Thu .* 02:00 UTC did not run, .*\. The run of .* 01:00 UTC is running, /),
      run: { jobName: 'hello-1767229200', result: 'Running' },
    });
  });

  test('the status lists no runs', () => {
    const world = seen({ recentRunsLimit: 0 });
    world.pass(at('01:00:00'));
    expect(why(world.cronJob, time('01:10:00'))).toMatchObject({
      sentence: expect.stringMatching(/^Job hello-1767229200 is running\. The next/),
      run: { jobName: 'hello-1767229200', result: 'Running' },
    });
    world.finish(at('01:20:00'), 'Failed');
    world.pass(at('01:20:00'));
    expect(why(world.cronJob, time('01:30:00'))).toMatchObject({
      sentence: expect.stringMatching(/^Job hello-1767229200: Failed\. The next/),
      run: { jobName: 'hello-1767229200', result: 'Failed' },
    });
  });

  test('it ran well, in the zone of its schedule', () => {
    const world = seen({ timeZone: 'Europe/Berlin' });
    world.pass(at('01:00:00'));
    world.finish(at('01:03:05'));
    world.pass(at('01:03:05'));
    expect(why(world.cronJob, time('01:10:00')).sentence).toBe(
      'Nothing is wrong. The run of Thu 2026-01-01 02:00 Europe/Berlin succeeded after 3m5s. ' +
        'The next one is due Thu 2026-01-01 03:00 Europe/Berlin (in 50m).',
    );
  });

  test('its last run failed', () => {
    const world = seen();
    world.pass(at('01:00:00'));
    world.finish(at('01:05:00'), 'Failed');
    world.pass(at('01:05:00'));
    const { sentence, ...remedy } = why(world.cronJob, time('01:10:00'));
    expect(sentence).toMatch(/^The run of Thu 2026-01-01 01:00 UTC failed after 5m\. The next one is due/);
    expect(remedyText(remedy)).toBe('see what it printed: kubectl tcj logs hello -n default --run hello-1767229200');
  });

  test('no manager has started what was due', () => {
    const { sentence, change } = why(seen().cronJob, time('01:03:00'));
    expect(sentence).toBe(
      'The run of Thu 2026-01-01 01:00 UTC (3m ago) has not started, and no manager says why. It has not run yet.',
    );
    expect(change).toMatch(/^see whether the manager runs/);
  });

  test('its schedule cannot be read', () => {
    const { sentence, change } = why(seen({ schedule: '61 * * * *' }).cronJob, time('00:10:00'));
    expect(sentence).toMatch(/^It never runs: spec\.schedule: "61 \* \* \* \*": /);
    expect(change).toBe('correct the schedule or the time zone');
  });

  test('its Job is refused', () => {
    const world = seen();
    world.pass(at('01:00:00'), { started: REFUSED });
    expect(why(world.cronJob, time('01:10:00')).sentence).toMatch(/^A run cannot start: .*exceeded quota: pods\.$/);
  });

  test('it is suspended', () => {
    expect(why(seen({ suspend: true }).cronJob, time('00:10:00'))).toEqual({
      sentence: 'No run starts: spec.suspend is true.',
      command: { kind: 'Resume', line: 'kubectl tcj resume hello -n default' },
    });
    expect(why(seen({ suspendUntil: at('06:00:00') }).cronJob, time('00:10:00')).sentence).toBe(
      'No run starts before Thu 2026-01-01 06:00 UTC (in 5h50m): that is spec.suspendUntil. 5 runs are left out, the first Thu 2026-01-01 01:00 UTC.',
    );
  });

  test('it is paused', () => {
    const world = seen({ pauseAfterFailures: 1 });
    world.pass(at('01:00:00'));
    world.finish(at('01:05:00'), 'Failed');
    world.pass(at('01:05:00'));
    const { sentence, ...remedy } = why(world.cronJob, time('03:05:00'));
    expect(sentence).toMatch(
      /^No run starts since Thu 2026-01-01 01:05 UTC \(120m ago\): 1 in a row have failed\. The run of/,
    );
    expect(remedyText(remedy)).toBe('fix the cause, then: kubectl tcj resume hello -n default');
  });

  test('it is paused, and so a success is overdue', () => {
    const world = seen({ pauseAfterFailures: 1, expectSuccessWithinSeconds: 1800 });
    world.pass(at('01:00:00'));
    world.finish(at('01:05:00'), 'Failed');
    world.pass(at('01:05:00'));
    const { sentence, ...remedy } = why(world.cronJob, time('03:05:00'));
    expect(sentence).toMatch(
      /^No run starts since Thu .* ago\): 1 in a row have failed\. It is overdue: no run has succeeded; .* The run of Thu .* failed/,
    );
    expect(remedyText(remedy)).toBe('fix the cause, then: kubectl tcj resume hello -n default');
  });

  test('it was resumed after a pause, before and after the manager has seen that', () => {
    const world = seen({ pauseAfterFailures: 1 });
    world.pass(at('01:00:00'));
    world.finish(at('01:05:00'), 'Failed');
    world.pass(at('01:05:00'));
    world.annotate({ [RESUME_ANNOTATION]: at('03:05:00.500') });
    const last = /The run of Thu 2026-01-01 01:00 UTC failed after 5m\. /.source;
    const next = /The next one is due Thu 2026-01-01 04:00 UTC \(in 54m\)\.$/.source;
    const answer = why(world.cronJob, time('03:05:10'));
    expect(answer.sentence).toMatch(new RegExp(`^It was resumed, and no manager has seen that yet\\. ${last}${next}`));
    expect(answer.command?.kind).toBe('Logs');
    world.pass(at('03:05:12'));
    const { sentence, ...remedy } = why(world.cronJob, time('03:05:15'));
    expect(sentence).toMatch(
      /^It was resumed at Thu 2026-01-01 03:05 UTC \(15s ago\)\. .* because the CronJob was paused .*\. The next one/,
    );
    expect(remedyText(remedy)).toBeUndefined();
    world.pass(at('04:00:00'));
    expect(why(world.cronJob, time('04:00:01')).sentence).not.toContain('resumed');
  });

  test('it was suspended and resumed, and no manager has seen that', () => {
    const world = seen();
    world.edit({ suspend: true });
    expect(why(world.cronJob, time('00:10:00'))).toEqual({
      sentence: 'No run starts: spec.suspend is true. No manager has seen that yet.',
      command: { kind: 'Resume', line: 'kubectl tcj resume hello -n default' },
    });
    world.pass(at('00:10:00'));
    world.edit({ suspend: false });
    expect(why(world.cronJob, time('00:20:00'))).toEqual({
      sentence:
        'It was resumed, and no manager has seen that yet. It has not run yet. ' +
        'The next one is due Thu 2026-01-01 01:00 UTC (in 40m).',
    });
  });

  test('a run waits for the active one, also one by hand', () => {
    const world = seen({ concurrencyPolicy: 'Forbid' });
    world.pass(at('01:00:00'));
    world.pass(at('02:00:00'));
    expect(why(world.cronJob, time('02:10:00')).sentence).toMatch(
      / 01:00 UTC is running, as Job \S+\. The run of .* 02:00 UTC waits until the active run has ended \(concurrencyPolicy Forbid\)\. The next/,
    );
    const change = (notStarted?: NotStarted) =>
      why(world.cronJob, time('02:10:00'), {
        ...{ jobName: 'hello-1767229200', sentence: '' },
        ...(notStarted && { notStarted, remedy: { change: 'see its events' } }),
      }).change;
    expect(change()).toMatch(
      /^if it hangs, delete Job hello-1767229200, so that the next run starts \(activeDeadlineSeconds would end such a run\); see what it prints$/,
    );
    expect(change({ since: at('01:00:00'), why: 'it has no Pod' })).toBe(
      'startTimeoutSeconds would end such a run, so that the next one starts; see its events',
    );
    world.annotate({ [RUN_NOW_ANNOTATION]: 'now' });
    world.pass(at('02:20:00'));
    expect(why(world.cronJob, time('02:20:00')).sentence).toContain(
      'A run by hand, then the run of Thu 2026-01-01 02:00 UTC wait until the active run has ended',
    );
    world.edit({ suspend: true });
    world.pass(at('02:30:00'));
    expect(why(world.cronJob, time('02:30:00')).sentence).toMatch(
      /^No run starts: spec\.suspend is true\. .* A run by hand waits until/,
    );
  });

  test('it is suspended, and before that a Job was refused', () => {
    const world = seen();
    world.pass(at('01:00:00'), { started: REFUSED });
    world.edit({ suspend: true });
    world.pass(at('01:10:00'));
    expect(why(world.cronJob, time('01:10:00')).sentence).toMatch(
      /^No run starts: spec\.suspend is true\. A run could not start: .*exceeded quota: pods\./,
    );
  });

  test('a success is overdue', () => {
    const world = seen({ expectSuccessWithinSeconds: 1800, schedule: '0 3 * * *' });
    world.pass(at('00:40:00'));
    const { sentence, change } = why(world.cronJob, time('00:41:00'));
    expect(sentence).toBe(
      'It is overdue: no run has succeeded; spec.expectSuccessWithinSeconds is 1800. It has not run yet. ' +
        'The next one is due Thu 2026-01-01 03:00 UTC (in 139m).',
    );
    expect(change).toMatch(
      /^expectSuccessWithinSeconds: 1800 is too short: no run is due between .*; give more than 86400 and the time that a run takes$/,
    );
  });

  test('a success is overdue, and there was one', () => {
    const world = seen({ expectSuccessWithinSeconds: 7200 });
    world.pass(at('01:00:00'));
    world.finish(at('01:05:00'));
    world.pass(at('01:05:00'));
    world.pass(at('04:00:00'));
    const { sentence, change } = why(world.cronJob, time('04:00:01'));
    expect(sentence).toMatch(/^It is overdue: the last success was Thu 2026-01-01 01:05 UTC \(175m ago\); /);
    expect(change).toBe('see what it prints');
  });
});

test.each([...MISSED_REASONS, ...SKIPPED_REASONS])('every reason has words: %s', (reason) => {
  const skip = { firstTime: time('01:00:00'), lastTime: time('01:00:00'), count: 1, reason };
  expect(whySkipped(skip).cause).toMatch(/^(it|a|an|more|its|the) /);
});

test('a reason of a later version is named', () => {
  const skip = { firstTime: time('01:00:00'), lastTime: time('01:00:00'), count: 1, reason: 'constructor' };
  expect(whySkipped(skip)).toEqual({ cause: 'of constructor' });
});
