import { describe, expect, test } from 'vitest';
import type { ManagedFields } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { keepEdits } from '../../api/v1/field-edits.ts';
import { TAKES_OVER_FROM_ANNOTATION } from '../../api/v1/groupversion.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import { effectiveScheduleOf } from './slots.ts';

const hourly = { schedule: '0 * * * *', timeZone: 'UTC', since: at('00:00:00') };

function editOf(field: string, time: string | undefined): ManagedFields {
  return { ...(time === undefined ? {} : { time }), fieldsV1: { 'f:spec': { [`f:${field}`]: {} } } };
}

interface Case {
  readonly name: string;
  readonly given: CronJob;
  readonly now: string;
  readonly since: string;
}

const inTokyo = { ...hourly, timeZone: 'Asia/Tokyo' };
const edited = { ...hourly, schedule: '30 * * * *' };
const withEdits = (...managedFields: readonly ManagedFields[]) => ({ managedFields });
/** Created at midnight, as all of these. */
const takingOver = (from: string, ...managedFields: readonly ManagedFields[]) => ({
  ...withEdits(...managedFields),
  annotations: { [TAKES_OVER_FROM_ANNOTATION]: from },
});
const BEFORE_MIDNIGHT = '2025-12-31T23:55:00Z';

const cases: readonly Case[] = [
  { name: 'a new CronJob, since it was created', given: cronJob(), now: at('05:00:00'), since: at('00:00:00') },
  {
    name: 'a new CronJob that was edited before it was first seen, since that edit',
    given: cronJob({}, undefined, withEdits(editOf('schedule', at('00:30:00')))),
    now: at('05:00:00'),
    since: at('00:30:00'),
  },
  {
    name: 'an unchanged schedule, since when the status says, whatever else was edited',
    given: cronJob({}, { effectiveSchedule: hourly }, withEdits(editOf('schedule', at('03:00:00')))),
    now: at('05:00:00'),
    since: at('00:00:00'),
  },
  {
    name: 'an edited schedule, since the edit and not since the pass that saw it',
    given: cronJob({}, { effectiveSchedule: edited }, withEdits(editOf('schedule', at('03:00:00')))),
    now: at('05:00:00'),
    since: at('03:00:00'),
  },
  {
    name: 'an edited time zone, since the edit',
    given: cronJob(
      { timeZone: 'Asia/Tokyo' },
      { effectiveSchedule: hourly },
      withEdits(editOf('timeZone', at('03:00:00'))),
    ),
    now: at('05:00:00'),
    since: at('03:00:00'),
  },
  {
    name: 'an edited schedule, since the newest of the edits that concern it',
    given: cronJob(
      {},
      { effectiveSchedule: edited },
      withEdits(
        editOf('schedule', at('01:00:00')),
        editOf('timeZone', at('03:00:00')),
        editOf('suspend', at('04:00:00')),
        { time: at('04:30:00'), subresource: 'status', fieldsV1: { 'f:status': {} } },
      ),
    ),
    now: at('05:00:00'),
    since: at('03:00:00'),
  },
  {
    name: 'an edited schedule whose edit nobody dated, since now, to the second',
    given: cronJob({}, { effectiveSchedule: edited }, withEdits(editOf('schedule', undefined))),
    now: at('05:00:00.900'),
    since: at('05:00:00'),
  },
  {
    name: 'an edit dated in the future, since now',
    given: cronJob({}, { effectiveSchedule: edited }, withEdits(editOf('schedule', at('09:00:00')))),
    now: at('05:00:00.900'),
    since: at('05:00:00'),
  },
  {
    name: 'an edit dated before what the status says, since then: it never moves back',
    given: cronJob(
      {},
      { effectiveSchedule: { ...edited, since: at('04:00:00') } },
      withEdits(editOf('schedule', at('03:00:00'))),
    ),
    now: at('05:00:00'),
    since: at('04:00:00'),
  },
  {
    name: 'a status that is ahead of the clock, since what it says',
    given: cronJob({}, { effectiveSchedule: { ...edited, since: at('23:00:00') } }),
    now: at('05:00:00'),
    since: at('23:00:00'),
  },
  {
    name: 'a time zone that was removed after an unrelated edit of the same client, since now and not since that edit',
    given: cronJob({}, { effectiveSchedule: inTokyo }, withEdits(editOf('schedule', at('03:00:00')))),
    now: at('05:00:00.900'),
    since: at('05:00:00'),
  },
  {
    name: 'a schedule that was edited and whose time zone was removed later, since now',
    given: cronJob(
      {},
      { effectiveSchedule: { ...inTokyo, schedule: '30 * * * *' } },
      withEdits(editOf('schedule', at('03:00:00'))),
    ),
    now: at('05:00:00'),
    since: at('05:00:00'),
  },
  {
    name: 'a time zone that was removed and of which nobody noted anything, since now',
    given: cronJob({}, { effectiveSchedule: inTokyo }),
    now: at('05:00:00'),
    since: at('05:00:00'),
  },
  {
    name: 'a time zone that was removed, since what the status says when that is ahead of the clock',
    given: cronJob({}, { effectiveSchedule: { ...inTokyo, since: at('23:00:00') } }),
    now: at('05:00:00'),
    since: at('23:00:00'),
  },
  {
    name: 'a time zone that was removed and was UTC, since when the status says: nothing changed',
    given: cronJob({}, { effectiveSchedule: hourly }, withEdits(editOf('schedule', at('03:00:00')))),
    now: at('05:00:00'),
    since: at('00:00:00'),
  },
  {
    name: 'a schedule that was edited while UTC was removed, since the edit',
    given: cronJob({}, { effectiveSchedule: edited }, withEdits(editOf('schedule', at('03:00:00')))),
    now: at('05:00:00'),
    since: at('03:00:00'),
  },
  {
    name: 'a time zone that was set to UTC in place of another one, since that edit',
    given: cronJob({ timeZone: 'UTC' }, { effectiveSchedule: inTokyo }, withEdits(editOf('timeZone', at('03:00:00')))),
    now: at('05:00:00'),
    since: at('03:00:00'),
  },
  {
    name: 'better: a new CronJob that takes over from another one, since that was suspended',
    given: cronJob({}, undefined, takingOver(BEFORE_MIDNIGHT)),
    now: at('05:00:00'),
    since: BEFORE_MIDNIGHT,
  },
  {
    name: 'a new CronJob that takes over, whose creation is noted as an edit, since the other one was suspended',
    given: cronJob({}, undefined, takingOver(BEFORE_MIDNIGHT, editOf('schedule', at('00:00:00')))),
    now: at('00:00:00.100'),
    since: BEFORE_MIDNIGHT,
  },
  {
    name: 'a new CronJob that takes over and whose status has something else, since the other one was suspended',
    given: cronJob({}, { activeCount: 0 }, takingOver(BEFORE_MIDNIGHT)),
    now: at('05:00:00'),
    since: BEFORE_MIDNIGHT,
  },
  {
    name: 'a new CronJob that takes over and was then edited, since that edit',
    given: cronJob({}, undefined, takingOver(BEFORE_MIDNIGHT, editOf('schedule', at('00:00:01')))),
    now: at('05:00:00'),
    since: at('00:00:01'),
  },
  {
    name: 'a new CronJob that takes over from a time that is too old, since it was created',
    given: cronJob({}, undefined, takingOver('2025-12-31T23:49:59Z')),
    now: at('05:00:00'),
    since: at('00:00:00'),
  },
  {
    name: 'a new CronJob that takes over from a time after its creation, since it was created',
    given: cronJob({}, undefined, takingOver(at('00:05:00'))),
    now: at('05:00:00'),
    since: at('00:00:00'),
  },
  {
    name: 'a new CronJob that takes over and has no time of creation, since now',
    given: cronJob({}, undefined, { ...takingOver(BEFORE_MIDNIGHT), creationTimestamp: '' }),
    now: at('00:00:00.100'),
    since: at('00:00:00'),
  },
  {
    name: 'a CronJob that took over, since when its status says',
    given: cronJob({}, { effectiveSchedule: hourly }, takingOver(BEFORE_MIDNIGHT)),
    now: at('05:00:00'),
    since: at('00:00:00'),
  },
  {
    name: 'a CronJob that took over and was edited, since that edit',
    given: cronJob({}, { effectiveSchedule: edited }, takingOver(BEFORE_MIDNIGHT, editOf('schedule', at('03:00:00')))),
    now: at('05:00:00'),
    since: at('03:00:00'),
  },
  {
    name: 'a CronJob that took over and whose status has an unreadable time, since it was created',
    given: cronJob({}, { effectiveSchedule: { ...hourly, since: 'then' } }, takingOver(BEFORE_MIDNIGHT)),
    now: at('05:00:00'),
    since: at('00:00:00'),
  },
];

describe('the schedule in force', () => {
  test.each(cases)('holds, for $name', ({ given, now, since }) => {
    const { timeZone = 'UTC', schedule } = given.spec;
    const want = { schedule, timeZone, since: new Date(since) };
    expect(effectiveScheduleOf(given, new Date(now))).toEqual(want);
    expect(effectiveScheduleOf(keepEdits(given), new Date(now))).toEqual(want);
  });
});
