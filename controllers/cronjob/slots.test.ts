import { expect, test } from 'vitest';
import type { ManagedFields } from '../../api/kubernetes.ts';
import type { CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { trimManagedFields } from '../../api/v1/field-edits.ts';
import { TAKES_OVER_FROM_ANNOTATION } from '../../api/v1/groupversion.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import { computeEffectiveSchedule } from './slots.ts';

/** The owner of a field of the spec, and the time of its entry. */
function editOf(field: string, time?: string): ManagedFields {
  return { ...(time !== undefined && { time }), fieldsV1: { 'f:spec': { [`f:${field}`]: {} } } };
}

/** An hourly CronJob that was created at midnight. */
interface Given {
  readonly spec?: Partial<CronJobSpec>;
  /** The effective schedule in the status: the hourly schedule since midnight, with these differences. */
  readonly was?: Partial<CronJobStatus['effectiveSchedule']>;
  readonly edits?: readonly ManagedFields[];
  readonly takesOverFrom?: string;
  readonly created?: string;
}

const THREE = at('03:00:00');
const MIDNIGHT = at('00:00:00');
const BEFORE_MIDNIGHT = '2025-12-31T23:55:00Z';
const AHEAD = at('23:00:00');
const EDIT_AT_THREE = [editOf('schedule', THREE)];
const HALF_PAST = { schedule: '30 * * * *' };
const IN_TOKYO = { timeZone: 'Asia/Tokyo' };

/** The effective schedule at 05:00:00.900, and since when. */
const cases: readonly (readonly [name: string, since: string, given: Given])[] = [
  ['a new CronJob, since it was created', MIDNIGHT, {}],
  ['a new CronJob that was edited before it was first seen, since that edit', THREE, { edits: EDIT_AT_THREE }],
  [
    'an unchanged schedule, since when the status says, whatever else was edited',
    MIDNIGHT,
    { was: {}, edits: EDIT_AT_THREE },
  ],
  [
    'an edited schedule applies from the edit, not from the next reconcile',
    THREE,
    { was: HALF_PAST, edits: EDIT_AT_THREE },
  ],
  [
    'an edited time zone, since the edit',
    THREE,
    { spec: IN_TOKYO, was: { timeZone: 'UTC' }, edits: [editOf('timeZone', THREE)] },
  ],
  [
    'an edited schedule, since the newest of the edits that concern it',
    THREE,
    {
      was: HALF_PAST,
      edits: [
        ...[editOf('schedule', at('01:00:00')), editOf('timeZone', THREE), editOf('suspend', at('04:00:00'))],
        { time: at('04:30:00'), subresource: 'status', fieldsV1: { 'f:status': {} } },
      ],
    },
  ],
  [
    'an edited schedule without the time of the edit, since now, to the second',
    at('05:00:00'),
    { was: HALF_PAST, edits: [editOf('schedule')] },
  ],
  [
    'an edit dated in the future, since now',
    at('05:00:00'),
    { was: HALF_PAST, edits: [editOf('schedule', at('09:00:00'))] },
  ],
  [
    'an edit dated before what the status says, since then: it never moves back',
    at('04:00:00'),
    { was: { ...HALF_PAST, since: at('04:00:00') }, edits: EDIT_AT_THREE },
  ],
  ['a status that is ahead of the clock, since what it says', AHEAD, { was: { ...HALF_PAST, since: AHEAD } }],
  [
    'a time zone that was removed after an unrelated edit of the same client, since now and not since that edit',
    at('05:00:00'),
    { was: IN_TOKYO, edits: EDIT_AT_THREE },
  ],
  [
    'a schedule that was edited and whose time zone was removed later, since now',
    at('05:00:00'),
    { was: { ...IN_TOKYO, ...HALF_PAST }, edits: EDIT_AT_THREE },
  ],
  ['a time zone that was removed without a trace, since now', at('05:00:00'), { was: IN_TOKYO }],
  [
    'a time zone that was removed, since what the status says when that is ahead of the clock',
    AHEAD,
    { was: { ...IN_TOKYO, since: AHEAD } },
  ],
  [
    'a time zone that was set to UTC in place of another one, since that edit',
    THREE,
    { spec: { timeZone: 'UTC' }, was: IN_TOKYO, edits: [editOf('timeZone', THREE)] },
  ],
  [
    'better: a CronJob that takes over runs the slots after the suspension of the other CronJob',
    BEFORE_MIDNIGHT,
    { takesOverFrom: BEFORE_MIDNIGHT },
  ],
  [
    'a new CronJob that takes over, whose creation is noted as an edit, since the other one was suspended',
    BEFORE_MIDNIGHT,
    { takesOverFrom: BEFORE_MIDNIGHT, edits: [editOf('schedule', MIDNIGHT)] },
  ],
  [
    'a new CronJob that takes over and was then edited, since that edit',
    at('00:00:01'),
    { takesOverFrom: BEFORE_MIDNIGHT, edits: [editOf('schedule', at('00:00:01'))] },
  ],
  [
    'a new CronJob that takes over from a time that is too old, since it was created',
    MIDNIGHT,
    { takesOverFrom: '2025-12-31T23:49:59Z' },
  ],
  [
    'a new CronJob that takes over and has no time of creation, since now',
    at('05:00:00'),
    { takesOverFrom: BEFORE_MIDNIGHT, created: '' },
  ],
  ['a CronJob that took over, since when its status says', MIDNIGHT, { was: {}, takesOverFrom: BEFORE_MIDNIGHT }],
  [
    'a CronJob that took over and was edited, since that edit',
    THREE,
    { was: HALF_PAST, takesOverFrom: BEFORE_MIDNIGHT, edits: EDIT_AT_THREE },
  ],
  [
    'a CronJob that took over and whose status has an unreadable time, since it was created',
    MIDNIGHT,
    { was: { since: 'then' }, takesOverFrom: BEFORE_MIDNIGHT },
  ],
  [
    'a new CronJob that takes over and whose status has something else, since the other one was suspended',
    BEFORE_MIDNIGHT,
    { was: undefined, takesOverFrom: BEFORE_MIDNIGHT },
  ],
];

test.each(cases)('the schedule in force holds, for %s', (_, since, given) => {
  const { was, edits = [], takesOverFrom, created = MIDNIGHT } = given;
  const status: CronJobStatus = {
    activeCount: 0,
    ...(was && { effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: MIDNIGHT, ...was } }),
  };
  const object = cronJob(given.spec, 'was' in given ? status : undefined, {
    creationTimestamp: created,
    managedFields: edits,
    ...(takesOverFrom !== undefined && { annotations: { [TAKES_OVER_FROM_ANNOTATION]: takesOverFrom } }),
  });
  const { timeZone = 'UTC', schedule } = object.spec;
  const want = { schedule, timeZone, since: new Date(since) };
  const now = new Date(at('05:00:00.900'));
  expect(computeEffectiveSchedule(object, now)).toEqual(want);
  expect(computeEffectiveSchedule(trimManagedFields(object), now)).toEqual(want);
});
