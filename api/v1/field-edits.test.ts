import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import type { ManagedFields } from '../kubernetes.ts';
import {
  findLastScheduleEdit,
  SCHEDULE_FIELD_NAMES,
  trimManagedFields,
  wasRunNowSetAfterCreation,
} from './field-edits.ts';
import { pickScheduleFields } from './timetable.ts';

const CREATED = '2026-01-01T00:00:00Z';
const EARLIER = '2025-12-31T23:59:59Z';
const LATER = '2026-01-01T00:00:01Z';
const SCHEDULE = { 'f:spec': { 'f:schedule': {} } };
const RUN_NOW = { 'f:metadata': { 'f:annotations': { 'f:batch.tutorial.kubebuilder.io/run-now': {} } } };
const BOTH = { ...RUN_NOW['f:metadata'], 'f:labels': { 'f:app': {} } };
const OTHERS = { 'f:metadata': { 'f:annotations': { 'f:other': {} }, 'f:labels': {} }, 'f:spec': { 'f:suspend': {} } };

describe('the run-now annotation was set later', () => {
  const withSchedule = { ...SCHEDULE, ...RUN_NOW };
  const byMaker = { time: CREATED, fieldsV1: { 'f:spec': { 'f:jobTemplate': {} }, ...RUN_NOW } };

  test.each([
    ['by a client of its own, in the second of the creation', true, [{ time: CREATED, fieldsV1: RUN_NOW }]],
    ['by a client of its own, later', true, [{ time: LATER, fieldsV1: RUN_NOW }]],
    ['by a client that sets other metadata as well', true, [{ time: LATER, fieldsV1: { 'f:metadata': BOTH } }]],
    ['not by a client that notes no time', false, [{ fieldsV1: RUN_NOW }]],
    ['not before the creation: the entry was restored with the object', false, [{ time: EARLIER, fieldsV1: RUN_NOW }]],
    ['not when it came with the schedule', false, [{ time: CREATED, fieldsV1: withSchedule }]],
    ['not when its client changed something else later', false, [{ time: LATER, fieldsV1: withSchedule }]],
    ['not when another client took the schedule over', false, [{ time: LATER, fieldsV1: SCHEDULE }, byMaker]],
    ['not when the one that made the CronJob still has it too', false, [{ time: LATER, fieldsV1: RUN_NOW }, byMaker]],
    ['not when something else was set later', false, [{ time: LATER, fieldsV1: OTHERS }]],
    ['not when nothing is known', false, []],
    ['not when nothing is known of an entry', false, [{ time: LATER }]],
    ['not when an entry is made of something else', false, [{ time: LATER, fieldsV1: { 'f:metadata': 'all' } }]],
  ] satisfies [string, boolean, readonly ManagedFields[]][])('%s', (_, want, managedFields) => {
    const given = cronJob({}, undefined, { creationTimestamp: CREATED, managedFields });
    expect(wasRunNowSetAfterCreation(given)).toBe(want);
    expect(wasRunNowSetAfterCreation(trimManagedFields(given))).toBe(want);
  });
});

test('nothing was set later than a creation that has no time', () => {
  const managedFields = [{ time: LATER, fieldsV1: RUN_NOW }];
  expect(wasRunNowSetAfterCreation(cronJob({}, undefined, { creationTimestamp: '', managedFields }))).toBe(false);
});

test('of the managed fields only who set the schedule or the annotation, and when, is kept', () => {
  const kept = trimManagedFields(
    cronJob({}, undefined, {
      managedFields: [
        { time: CREATED, fieldsV1: OTHERS },
        { time: CREATED, fieldsV1: { 'f:spec': { 'f:timeZone': {}, 'f:jobTemplate': { much: 'more' } } } },
        { time: LATER, fieldsV1: { ...RUN_NOW, 'f:status': {} } },
        { time: LATER, fieldsV1: { ...RUN_NOW, 'f:spec': { 'f:suspend': {} } } },
        { fieldsV1: { ...RUN_NOW, ...SCHEDULE } },
        { time: LATER },
      ],
    }),
  );
  expect(kept.metadata.managedFields).toEqual([
    { time: CREATED, fieldsV1: SCHEDULE },
    { time: LATER, fieldsV1: RUN_NOW },
    { time: LATER, fieldsV1: { ...RUN_NOW, 'f:spec': {} } },
    { fieldsV1: { ...RUN_NOW, ...SCHEDULE } },
  ]);
  expect(trimManagedFields(cronJob()).metadata).not.toHaveProperty('managedFields');
});

test.each(SCHEDULE_FIELD_NAMES)('an edit of %s is an edit of the schedule, also in the cache', (name) => {
  const managedFields = [
    { time: LATER, fieldsV1: { 'f:spec': { [`f:${name}`]: {} } } },
    { time: '2026-01-02T00:00:00Z', fieldsV1: OTHERS },
  ];
  const edited = cronJob({}, undefined, { managedFields });
  expect([edited, trimManagedFields(edited)].map(findLastScheduleEdit)).toEqual([new Date(LATER), new Date(LATER)]);
});

test('the fields of the schedule are the fields that the status records', () => {
  const fields = pickScheduleFields({
    ...{ schedule: '* * * * *', timeZone: 'UTC', schedules: ['@daily'], startTime: CREATED, endTime: LATER },
    daylightSaving: { skippedTimes: 'RunAfter' },
  });
  expect(Object.keys(fields).toSorted()).toEqual([...SCHEDULE_FIELD_NAMES].toSorted());
});
