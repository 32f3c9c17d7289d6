import { describe, expect, test } from 'vitest';
import { cronJobRun } from '../../test/support/cron-job-runs.ts';
import { at } from '../../test/support/cron-jobs.ts';
import type { CronJobRun } from './cronjobrun-types.ts';
import { parseRequestedSlot, toRequestedJobName } from './job-names.ts';

describe('the name of the Job of a CronJobRun', () => {
  const slot = new Date(at('06:00:00'));

  test('differs between CronJobRuns, and from the name of the slot', () => {
    const [one, other] = ['run-1', 'run-2'].map((uid) => cronJobRun({}, { metadata: { uid } })) as [
      CronJobRun,
      CronJobRun,
    ];
    const names = [one, other].flatMap((run) => [toRequestedJobName(run), toRequestedJobName(run, slot)]);
    expect(new Set(names).size).toBe(4);
    expect(names[1]).toMatch(/^hello-b1767247200-[0-9a-f]{5}$/);
    expect(names[0]).toMatch(/^hello-r[0-9a-f]{9}$/);
  });

  test.each([at('06:00:00'), '1970-01-01T00:00:00Z', '1969-12-31T06:00:00Z', '0001-01-01T00:00:00Z'])(
    'states the slot %s',
    (time) => {
      expect(parseRequestedSlot(toRequestedJobName(cronJobRun({}), new Date(time)))).toEqual(new Date(time));
    },
  );

  test('has at most 63 characters', () => {
    const run = cronJobRun({ cronJobName: `${'a'.repeat(44)}-${'b'.repeat(7)}` });
    expect(toRequestedJobName(run, slot)).toHaveLength(62);
    expect(toRequestedJobName(run)).toHaveLength(63);
  });
});
