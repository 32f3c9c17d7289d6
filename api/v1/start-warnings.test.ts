import { expect, test } from 'vitest';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from './cronjob-types.ts';
import { getCronJobWarnings } from './cronjob-warnings.ts';
import { warnAboutStarts } from './start-warnings.ts';

const NOW = new Date(at('12:10:00'));
const context = { now: NOW, failoverSeconds: 15 };

/** The warnings about an edit. */
function warn(old: CronJob, edit: Partial<CronJobSpec>): readonly string[] {
  return warnAboutStarts({ ...old, spec: { ...old.spec, ...edit } }, { ...context, oldCronJob: old });
}

const nightly = (spec: Partial<CronJobSpec> = {}, status?: CronJobStatus) =>
  cronJob({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin', ...spec }, status);

test.each<[name: string, old: CronJob, edit: Partial<CronJobSpec>, want: string]>([
  ['drops a run within 24 hours', nightly(), { suspend: true }, 'drops the run of 2026-01-02T02:30:00+01:00'],
  [
    'drops several runs',
    nightly({ schedule: '30 2,3,4 * * *' }),
    { endTime: at('12:30:00') },
    'drops the run of 2026-01-02T02:30:00+01:00 (and 2 more within 24 hours)',
  ],
  [
    'replaces a run',
    nightly(),
    { schedule: '30 3 * * *' },
    'drops the run of 2026-01-02T02:30:00+01:00 and adds the run of 2026-01-02T03:30:00+01:00',
  ],
  [
    'shows each time in the time zone of its spec',
    nightly(),
    { timeZone: 'UTC' },
    'drops the run of 2026-01-02T02:30:00+01:00 and adds the run of 2026-01-02T02:30:00Z',
  ],
  [
    'moves a run',
    nightly(),
    { jitterSeconds: 60 },
    'moves the start at 2026-01-02T02:30:00+01:00 to 2026-01-02T02:30:12+01:00',
  ],
  [
    'drops one run and adds several',
    nightly(),
    { schedule: '30 3,4 * * *' },
    'drops the run of 2026-01-02T02:30:00+01:00 and adds 2 runs within 24 hours',
  ],
  [
    'counts at most 300 slots',
    nightly({ schedule: '* * * * *' }),
    { suspend: true },
    'drops the run of 2026-01-01T13:11:00+01:00 (and at least 299 more within 24 hours)',
  ],
  [
    'starts a missed run',
    nightly({ suspend: true }, { lastScheduleTime: '2025-12-31T01:30:00Z' }),
    { suspend: false },
    'starts the missed run of 2026-01-01T02:30:00+01:00 now and adds the run of 2026-01-02T02:30:00+01:00',
  ],
  [
    'starts a missed run, while the next one waits for its delay',
    nightly(
      { schedule: '5 9,13 * * *', suspend: true, jitterSeconds: 1800 },
      { lastScheduleTime: '2025-12-30T12:05:00Z' },
    ),
    { suspend: false },
    'starts the missed run of 2026-01-01T09:05:00+01:00 now and adds 3 runs within 24 hours',
  ],
])('an update that %s gets one sentence', (_, old, edit, want) => {
  expect(warn(old, edit)).toEqual([`this edit ${want}`]);
});

test('a new jitter does not start the run of this minute again', () => {
  expect(warn(nightly({ schedule: '10 13 * * *' }), { jitterSeconds: 60 })).toEqual([
    'this edit moves the start at 2026-01-02T13:10:00+01:00 to 2026-01-02T13:10:12+01:00',
  ]);
});

test('an update that changes no start gets no warning', () => {
  expect(warn(nightly(), { startingDeadlineSeconds: 600 })).toEqual([]);
  expect(warn(nightly(), { schedule: '30 02 * * *' })).toEqual([]);
  expect(warn(nightly(), { endTime: '2026-02-01T00:00:00Z' })).toEqual([]);
  expect(warn(nightly(), { successfulJobsHistoryLimit: 1 })).toEqual([]);
});

test('every edit of a paused CronJob ends the pause, and the warning says so', () => {
  const paused = nightly({}, { paused: { reason: 'TooManyFailures', since: at('00:00:00') } });
  expect(warn(paused, { successfulJobsHistoryLimit: 1 })).toEqual([
    'this edit ends the pause and adds the run of 2026-01-02T02:30:00+01:00',
  ]);
  expect(warn(paused, {})).toEqual([]);
});

test('a create gets no warning about starts', () => {
  expect(warnAboutStarts(nightly(), context)).toEqual([]);
});

test.each<Partial<CronJobSpec>>([{ schedule: '61 * * * *' }, { timeZone: 'Europe/Berlinn' }])(
  'an edit to the invalid %o gets no warning about starts, because it is refused',
  (edit) => {
    expect(warn(nightly(), edit)).toEqual([]);
  },
);

test('a warning about every kind of change has at most 256 characters', () => {
  const old = nightly({ schedule: '0-30 * * * *', jitterSeconds: 10 });
  const [warning = ''] = warn(old, { schedule: '15-59 * * * *', jitterSeconds: 50 });
  expect(warning).toMatch(
    /^this edit drops .* at least \d+ more\), moves at least \d+ runs and adds at least \d+ runs/,
  );
  expect(warning.length).toBeLessThanOrEqual(256);
});

test('the warning is part of the warnings of the webhook', () => {
  const old = nightly();
  const suspended = { ...old, spec: { ...old.spec, suspend: true } };
  expect(getCronJobWarnings(suspended, { ...context, oldCronJob: old })).toEqual([
    'this edit drops the run of 2026-01-02T02:30:00+01:00',
  ]);
});

test.each<[name: string, old: unknown, edited: unknown]>([
  ['null', null, null],
  ['a spec that is null', { metadata: null, spec: null }, nightly()],
  ['lists', { metadata: [], spec: [], status: [] }, { spec: [] }],
  [
    'values with wrong types',
    { metadata: { uid: 7 }, spec: { schedule: 7, jitterSeconds: 'x' }, status: { effectiveSchedule: 7, paused: 1 } },
    { spec: { schedule: '* * * * *', jitterSeconds: {}, exclude: [null], schedules: [3], suspendUntil: {} } },
  ],
])('an update of %s gets a warning or none, and no error', (_, old, edited) => {
  const warnings = warnAboutStarts(edited as CronJob, { ...context, oldCronJob: old as CronJob });
  expect(warnings.length).toBeLessThan(2);
});
