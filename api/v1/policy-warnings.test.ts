import { expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import type { CronJob } from './cronjob-types.ts';
import { getCronJobWarnings } from './cronjob-warnings.ts';

const now = new Date('2026-01-01T00:00:00Z');
const warningsFor = (spec: Partial<CronJob['spec']>, oldCronJob?: CronJob) =>
  getCronJobWarnings(cronJob(spec), { now, oldCronJob, failoverSeconds: 15 });
const withDeadline = { jobTemplate: { spec: { activeDeadlineSeconds: 60, template: {} } } };

test.each<[spec: Partial<CronJob['spec']>, want: readonly string[]]>([
  [{ queueLimit: 3 }, ['spec.queueLimit: has no effect without concurrencyPolicy: Queue']],
  [{ queueLimit: 3, concurrencyPolicy: 'Queue' }, []],
  [{ maxConcurrentRuns: 3 }, []],
  [{ maxConcurrentRuns: 3, concurrencyPolicy: 'Queue' }, []],
  [{ maxConcurrentRuns: 3, concurrencyPolicy: 'Replace' }, ['spec.maxConcurrentRuns: has an effect only with']],
  [{ maxConcurrentRuns: 3, concurrencyPolicy: 'Forbid' }, ['spec.maxConcurrentRuns: has an effect only with']],
  [{ maxConcurrentRuns: 3, concurrencyPolicy: 'Skip' }, ['spec.maxConcurrentRuns: has an effect only with']],
  [{ catchUpLimit: 3 }, ['spec.catchUpLimit: has an effect only with catchUpPolicy: All']],
  [{ catchUpLimit: 3, catchUpPolicy: 'All' }, []],
  [
    { catchUpLimit: 3, catchUpPolicy: 'All', concurrencyPolicy: 'Queue' },
    ['spec.catchUpLimit: has an effect only with'],
  ],
  [{ catchUpPolicy: 'Latest', concurrencyPolicy: 'Queue' }, ['spec.catchUpPolicy: Latest has no effect with']],
  [{ catchUpPolicy: 'All', concurrencyPolicy: 'Skip' }, ['spec.catchUpPolicy: with Skip the first late run starts']],
  [{ catchUpPolicy: 'All', concurrencyPolicy: 'Replace' }, ['spec.catchUpPolicy: with Replace each late run ends']],
])('%j', (spec, want) => {
  expect(warningsFor({ ...withDeadline, ...spec })).toEqual(want.map((text) => expect.stringContaining(text)));
});

test.each([
  ['Queue', 'blocks all later runs for ever'],
  ['Skip', 'skips all later runs for ever'],
] as const)('a run that hangs under %s', (concurrencyPolicy, effect) => {
  expect(warningsFor({ concurrencyPolicy })).toEqual([
    `spec.concurrencyPolicy: with ${concurrencyPolicy} a run that hangs ${effect}; set spec.jobTemplate.spec.activeDeadlineSeconds to the maximum duration of a run`,
  ]);
});

test('under Skip a starting deadline does not limit what a run that hangs does', () => {
  expect(warningsFor({ concurrencyPolicy: 'Skip', startingDeadlineSeconds: 60 })).toHaveLength(1);
  expect(warningsFor({ concurrencyPolicy: 'Queue', startingDeadlineSeconds: 60 })).toEqual([]);
});

/** A CronJob with hourly runs that took this long. */
function withRuns(took: string, count = 3): CronJob {
  const hours = Array.from({ length: count }, (_, index) => `0${count - index}:00:00`);
  const recentRuns = hours.map((time) => `2025-12-31T${time}Z Succeeded hello-${time} Schedule took=${took}`);
  return cronJob({}, { recentRuns });
}

test('a queue that only grows: the runs take longer than the time between two of them', () => {
  const spec = { ...withDeadline, concurrencyPolicy: 'Queue' } as const;
  expect(warningsFor(spec, withRuns('1h15m0s'))).toEqual([
    'spec.concurrencyPolicy: the last 3 runs took 1h15m0s on average, and a run is due every 1h0m0s, so the queue never becomes ' +
      'empty; make the runs shorter or rarer, or raise maxConcurrentRuns',
  ]);
  expect(warningsFor({ ...spec, maxConcurrentRuns: 2 }, withRuns('1h15m0s'))).toEqual([]);
  expect(warningsFor(spec, withRuns('30m0s'))).toEqual([]);
  expect(warningsFor(spec, withRuns('1h15m0s', 2))).toEqual([]);
  const rareSchedule = { schedule: '0 0 29 2 *' };
  const rareCronJob = { ...withRuns('1h15m0s'), spec: cronJob(rareSchedule).spec };
  expect(warningsFor({ ...spec, ...rareSchedule }, rareCronJob)).toEqual([]);
});

test.each([[null], ['x'], [[null, 5, 'no run']]])('lines that are no runs are ignored: %j', (recentRuns) => {
  const old = { ...cronJob(), status: { recentRuns } } as unknown as CronJob;
  expect(warningsFor({ ...withDeadline, concurrencyPolicy: 'Queue' }, old)).toEqual([]);
});

test.each([[{ toString: 1 }], [null], [['Queue']], ['constructor']])(
  'a policy of another type causes no warning: %j',
  (policy) => {
    expect(warningsFor({ concurrencyPolicy: policy as never, queueLimit: undefined as never })).toEqual([]);
  },
);
