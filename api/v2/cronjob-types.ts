/**
 * The kind CronJob with the additional version v2, in which the schedule is an object with a field for each part. All
 * other fields are the same as in v1. The default installation serves only v1: docs/adr/0043-opt-in-v2.md.
 */
import { apiRule, type KindVersion, type ReadonlyDeep, type VersionedKind } from 'controller-runtime/schema';
import { z } from 'zod';
import { MAX_SCHEDULE_LENGTH } from '../v1/cronjob-defaults.ts';
import { type CronJobSpecInput, cronJobSpecFields, CronJob as Hub } from '../v1/cronjob-types.ts';
import type { GROUP } from '../v1/groupversion.ts';
import { WINDOW_RULE } from '../v1/timetable-fields.ts';
import {
  ALTERNATIVES_MESSAGE,
  fromHub,
  isSchedulePart,
  MAX_PART_LENGTH,
  PART_FAULT_MESSAGE,
  toHub,
} from './conversion.ts';

const createPartSchema = (part: string, values: string) =>
  apiRule(z.string().max(MAX_PART_LENGTH), {
    rule: "self.matches(r'^\\S+$')",
    message: PART_FAULT_MESSAGE,
    isValid: isSchedulePart,
  })
    .optional()
    .describe(`${part} of the schedule in cron format: ${values}. When not set: *, which matches every value.`);

/**
 * The schedule is an atomic map, because otherwise server-side apply would keep the parts of the old schedule beside a new
 * expression.
 */
const structuredScheduleSchema = apiRule(
  z.object({
    minute: createPartSchema('Minute', '0 to 59'),
    hour: createPartSchema('Hour', '0 to 23'),
    dayOfMonth: createPartSchema('Day of month', '1 to 31'),
    month: createPartSchema('Month', '1 to 12, or JAN to DEC'),
    dayOfWeek: createPartSchema('Day of week', '0 to 6, or SUN to SAT'),
    expression: z
      .string()
      .min(1)
      .max(MAX_SCHEDULE_LENGTH)
      .optional()
      .describe(
        'The whole schedule as text, for a schedule that the other fields cannot express, such as @hourly or ' +
          '"@every 5m". The format is the format of spec.schedule in v1.',
      ),
  }),
  {
    rule: '!has(self.expression) || ![has(self.minute), has(self.hour), has(self.dayOfMonth), has(self.month), has(self.dayOfWeek)].exists(isSet, isSet)',
    message: ALTERNATIVES_MESSAGE,
    isValid: ({ expression, ...parts }) =>
      expression === undefined || Object.values(parts).every((part) => part === undefined),
  },
);

const cronJobSpecSchema = apiRule(
  cronJobSpecFields.extend({
    schedule: structuredScheduleSchema
      .meta({ ...structuredScheduleSchema.meta(), 'x-kubernetes-map-type': 'atomic' })
      .describe('Schedule by its parts. A part that is not set matches every value, so {} runs every minute.'),
  }),
  WINDOW_RULE,
);

/** The desired state of a {@link CronJobV2}. All defaults are set. */
export interface CronJobSpecV2 extends ReadonlyDeep<z.output<typeof cronJobSpecSchema>> {}
/** The spec of a {@link CronJobV2} to create. Fields with a default are optional. */
export interface CronJobSpecInputV2 extends ReadonlyDeep<z.input<typeof cronJobSpecSchema>> {}

/** A CronJob of v2, in which the schedule has a field for each part. */
export interface CronJobV2 extends Omit<Hub, 'apiVersion' | 'spec'> {
  readonly apiVersion: `${typeof GROUP}/v2`;
  readonly spec: CronJobSpecV2;
}

/** The kind CronJob with its versions v1 and v2. The API server stores v1, and the controllers read v1. */
export const CronJob: VersionedKind<
  Hub,
  CronJobSpecInput,
  Readonly<Record<'v2', KindVersion<CronJobV2, CronJobSpecInputV2, Hub>>>
> = Hub.withVersion({
  version: 'v2',
  spec: cronJobSpecSchema,
  printerColumns: Hub.printerColumns,
}).withConversion({ toHub, fromHub });

/** The version v2 of the kind CronJob. The methods `toHub` and `fromHub` convert objects to v1 and from v1. */
export const CronJobV2 = CronJob.versions.v2;
