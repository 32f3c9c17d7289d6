import { describe, expect, test } from 'vitest';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import { RESUME_ANNOTATION } from './groupversion.ts';
import { getResumeValue, hasNewResumeValue, isSuspendedAt } from './suspension.ts';

describe('a CronJob is suspended', () => {
  test.each([
    ['with suspend: true', { suspend: true }, true],
    ['until a time that is ahead', { suspendUntil: at('02:00:00') }, true],
    ['not any more when that time has come', { suspendUntil: at('01:00:00') }, false],
    ['not by a time that cannot be read', { suspendUntil: 'tomorrow' }, false],
    ['not by default', {}, false],
  ])('%s', (_, spec, want) => {
    expect(isSuspendedAt(cronJob(spec).spec, new Date(at('01:00:00')))).toBe(want);
  });
});

describe('a resume is new', () => {
  const resumedBy = (value: string) => cronJob({}, undefined, { annotations: { [RESUME_ANNOTATION]: value } });
  const long = 'x'.repeat(1000);
  const LONG_STORED = getResumeValue(resumedBy(long)) ?? '';

  test.each([
    ['with a value that the status does not record', 'b', { observedGeneration: 1, lastResume: 'a' }, true],
    ['not with the recorded value', 'a', { observedGeneration: 1, lastResume: 'a' }, false],
    ['not with the value that the CronJob was created with', 'a', {}, false],
    [
      'not with a long value that is recorded by its hash',
      long,
      { observedGeneration: 1, lastResume: LONG_STORED },
      false,
    ],
  ])('%s', (_, value, status, want) => {
    expect(hasNewResumeValue(resumedBy(value), status)).toBe(want);
  });

  test('not without the annotation', () => {
    expect(hasNewResumeValue(cronJob(), { observedGeneration: 1 })).toBe(false);
  });
});
