import { describe, expect, test } from 'vitest';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld, type Pass } from '../../test/support/core-world.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import type { StartResult } from './decide.ts';

const refused: StartResult = {
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: 'hello', message: 'exceeded quota' },
};
const ahead: CronJobStatus = { observedGeneration: 1, lastSuccessfulTime: at('23:00:00') };
const hasFailed: CronJobStatus = { observedGeneration: 1, lastFailureTime: at('00:05:00') };

function reasonOf({ status }: Pass): string | undefined {
  return status.conditions?.find(({ type }) => type === 'Degraded')?.reason;
}

describe('of two things that are wrong, Degraded shows', () => {
  test('NeverFires before ClockSkew', () => {
    expect(reasonOf(new CoreWorld(cronJob({ startingDeadlineSeconds: 0 }, ahead)).pass(at('00:10:00')))).toBe(
      'NeverFires',
    );
  });

  test('ClockSkew before FailedCreate', () => {
    expect(reasonOf(new CoreWorld(cronJob({}, ahead)).pass(at('01:00:00'), { started: refused }))).toBe('ClockSkew');
  });

  test('FailedCreate before TooManyMissedTimes', () => {
    const world = new CoreWorld(cronJob({ schedule: '* * * * *' }));
    expect(reasonOf(world.pass(at('05:00:00')))).toBe('TooManyMissedTimes');
    expect(reasonOf(world.pass(at('05:01:00'), { started: refused }))).toBe('FailedCreate');
  });

  test('TooManyMissedTimes before LastRunFailed', () => {
    const world = new CoreWorld(cronJob({ schedule: '* * * * *' }, hasFailed));
    expect(reasonOf(world.pass(at('05:00:00')))).toBe('TooManyMissedTimes');
  });
});

describe('Degraded: LastRunFailed', () => {
  test('after a run that failed, although one before it had succeeded', () => {
    const world = new CoreWorld();
    world.pass(at('01:00:00'));
    world.finish(at('01:05:00'));
    world.pass(at('02:00:00'));
    world.finish(at('02:05:00'), 'Failed');
    expect(reasonOf(world.pass(at('02:05:01')))).toBe('LastRunFailed');
  });

  test('no more, when a run succeeded in the second in which another failed', () => {
    const world = new CoreWorld(cronJob({}, { ...hasFailed, lastSuccessfulTime: at('00:05:00') }));
    expect(reasonOf(world.pass(at('00:10:00')))).toBe('AsExpected');
  });
});

test('Degraded: FailedCreate is over when a Job is there that was asked for by hand and a crashed pass has made', () => {
  const world = new CoreWorld();
  world.pass(at('00:00:00'));
  world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
  expect(reasonOf(world.pass(at('00:10:00'), { started: refused }))).toBe('FailedCreate');
  world.pass(at('00:10:01'), { crashes: true });
  expect(reasonOf(world.pass(at('00:10:02')))).toBe('AsExpected');
});

test('Degraded: FailedCreate is over when another fault took its place', () => {
  const world = new CoreWorld();
  expect(reasonOf(world.pass(at('01:00:00'), { started: refused }))).toBe('FailedCreate');
  world.edit({ suspend: true, timeZone: 'Mars/Olympus' });
  expect(reasonOf(world.pass(at('01:00:01')))).toBe('UnknownTimeZone');
  world.edit({ timeZone: 'Europe/Berlin' });
  expect(reasonOf(world.pass(at('01:00:02')))).toBe('AsExpected');
});

test('a failed start that another fault hides is forgotten at once: one more pass changes nothing', () => {
  const world = new CoreWorld();
  world.pass(at('01:00:00'), { started: refused });
  expect(world.cronJob.status?.failedStart).toBeDefined();
  world.edit({ timeZone: 'Europe/Atlantis' });
  const first = world.pass(at('01:10:00'));
  expect(reasonOf(first)).toBe('UnknownTimeZone');
  expect(first.status).not.toHaveProperty('failedStart');
  expect(world.pass(at('01:10:01')).status).toEqual(first.status);
});
