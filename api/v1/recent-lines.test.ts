import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_RECENT_LINE_LENGTH } from './cronjob-defaults.ts';
import {
  formatDuration,
  formatRecentRun,
  formatRecentSkip,
  parseRecentRun,
  parseRecentSkip,
  type RecentRun,
  type RecentSkip,
} from './recent-lines.ts';

const time = (text: string) => new Date(`2026-11-23T${text}Z`);
const failed: RecentRun = {
  jobName: 'nightly-1763863200',
  trigger: 'Schedule',
  scheduledTime: time('02:00:00'),
  createdTime: time('02:00:01'),
  startTime: time('02:00:31'),
  completionTime: time('03:01:34'),
  result: 'Failed',
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
};

const secondsAt = (year: number) => Date.UTC(year) / 1000;
const instants = fc.integer({ min: secondsAt(1970), max: secondsAt(9990) }).map((seconds) => new Date(seconds * 1000));
const words = fc.stringMatching(/^[A-Za-z][A-Za-z0-9:]{0,20}[a-z]$/);
const runs = fc
  .record(
    {
      jobName: fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,61}$/),
      trigger: fc.constantFrom('Schedule', 'Manual', 'External'),
      createdTime: instants,
      result: fc.constantFrom('Running', 'Succeeded', 'Failed', 'Replaced', 'Unknown'),
      lateSeconds: fc.integer({ min: -100_000, max: 10_000_000 }),
      queuedSeconds: fc.integer({ min: -100, max: 1_000_000 }),
      tookSeconds: fc.integer({ min: -100, max: 1_000_000 }),
      reason: words,
      message: fc.stringMatching(/^[!-~](?:[ -~]{0,200}[!-~])?$/).map((text) => text.replaceAll(/ +/g, ' ')),
    },
    { requiredKeys: ['jobName', 'trigger', 'createdTime', 'result', 'lateSeconds'] },
  )
  .map(({ lateSeconds, queuedSeconds = 0, tookSeconds, message, ...run }): RecentRun => {
    const startTime = new Date(run.createdTime.getTime() + queuedSeconds * 1000);
    const scheduledTime = new Date(run.createdTime.getTime() - lateSeconds * 1000);
    return {
      ...run,
      ...(run.trigger === 'Schedule' && { scheduledTime }),
      ...(tookSeconds !== undefined && {
        startTime,
        completionTime: new Date(startTime.getTime() + tookSeconds * 1000),
      }),
      ...(run.reason !== undefined && message !== undefined && { message }),
    };
  });

describe('a line of a run', () => {
  test('says when, how it ended, which Job, why it started, how long it took, and why it failed', () => {
    expect(formatRecentRun(failed)).toBe(
      '2026-11-23T02:00:00Z Failed nightly-1763863200 Schedule late=1s queued=30s took=1h1m3s ' +
        'BackoffLimitExceeded: Job has reached the specified backoff limit',
    );
  });

  test('begins with the creation of its Job when it has no scheduled time', () => {
    const { jobName, createdTime } = failed;
    const line = formatRecentRun({ jobName, createdTime, trigger: 'Manual', result: 'Running' });
    expect(line).toBe('2026-11-23T02:00:01Z Running nightly-1763863200 Manual');
  });

  test('is read as it was written', () => {
    fc.assert(
      fc.property(runs, (run) => {
        expect(parseRecentRun(formatRecentRun(run))).toEqual(run);
      }),
    );
  });

  test('keeps to one line and to its length, whatever a Job says', () => {
    const line = formatRecentRun({
      ...failed,
      reason: `Back\u2066 off\n=${'x'.repeat(300)}`,
      message: `a\n\u0007\u202e  b${'y'.repeat(300)}`,
    });
    expect(line).toMatch(/ Backoffx{121}: a by{253}$/);
    const whole = { ...failed, jobName: 'j'.repeat(253), reason: 'R'.repeat(128), message: 'm'.repeat(256) };
    const long = formatRecentRun(whole);
    expect(long).toHaveLength(MAX_RECENT_LINE_LENGTH);
    expect(parseRecentRun(long)).toMatchObject({ jobName: whole.jobName, completionTime: failed.completionTime });
    expect(formatRecentRun({ ...failed, reason: ' \n' })).toMatch(/ took=1h1m3s$/);
    expect(formatRecentRun({ ...failed, message: ' \n' })).toMatch(/ BackoffLimitExceeded$/);
  });

  test('has no half of a character, which the API server would store as another one', () => {
    expect(formatRecentRun({ ...failed, message: `${'x'.repeat(255)}😀` }).isWellFormed()).toBe(true);
    expect(formatRecentRun({ ...failed, reason: `${'x'.repeat(127)}😀` }).isWellFormed()).toBe(true);
  });

  test('may have words that this version does not know', () => {
    const line = '2026-11-23T02:00:00Z Succeeded a-1 Schedule late=2s node=n1 took=5s took=bad';
    expect(parseRecentRun(line)).toMatchObject({ createdTime: time('02:00:02'), completionTime: time('02:00:07') });
    const odd = parseRecentRun('2026-11-23T02:00:00Z Succeeded a-1 Schedule took=long');
    expect([odd?.result, odd?.completionTime]).toEqual(['Succeeded', undefined]);
  });

  test.each([
    '',
    'yesterday Failed a Schedule',
    '2026-11-23T02:00:00Z Lost a Schedule',
    '2026-11-23T02:00:00Z Failed a',
    '2026-11-23T02:00:00Z Failed  Schedule',
    '2026-02-30T02:00:00Z Failed a Schedule',
    '2026-11-23T02:00:00Z Failed a Scheduled',
  ])('that is none is not read: %o', (line) => {
    expect(parseRecentRun(line)).toBeUndefined();
  });
});

describe('a line of skips', () => {
  const skip: RecentSkip = { firstTime: time('02:00:00'), lastTime: time('02:00:00'), count: 1, reason: 'Suspended' };

  test('says when, why, and how many', () => {
    expect(formatRecentSkip(skip)).toBe('2026-11-23T02:00:00Z Suspended');
    const several = { ...skip, lastTime: time('04:00:00'), count: 3 };
    expect(formatRecentSkip(several)).toBe('2026-11-23T02:00:00Z Suspended last=2026-11-23T04:00:00Z count=3');
    expect(formatRecentSkip({ ...several, count: 101 })).toMatch(/ count=100\+$/);
  });

  test('is read as it was written', () => {
    const skips = fc
      .tuple(instants, fc.nat(1_000_000), fc.integer({ min: 2, max: 101 }), words)
      .map(([firstTime, seconds, count, reason]): RecentSkip => {
        return { firstTime, lastTime: new Date(firstTime.getTime() + seconds * 1000), count, reason };
      });
    fc.assert(
      fc.property(skips, (each) => {
        expect(parseRecentSkip(formatRecentSkip(each))).toEqual(each);
      }),
    );
    expect(parseRecentSkip(formatRecentSkip(skip))).toEqual(skip);
  });

  test.each([
    '',
    'x Suspended',
    '2026-11-23T02:00:00Z',
    `2026-11-23T02:00:00Z ${'A'.repeat(129)}`,
    '2026-11-23T02:00:00Z A last=x count=2',
    '2026-11-23T02:00:00Z A last=2026-11-23T02:00:00Z count=x',
  ])('that is none is not read: %o', (line) => expect(parseRecentSkip(line)).toBeUndefined());
});

test.each([
  [0, '0s'],
  [59, '59s'],
  [60, '1m0s'],
  [3600, '1h0m0s'],
  [90_061, '25h1m1s'],
  [-61, '-1m1s'],
])('%i seconds are %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));
