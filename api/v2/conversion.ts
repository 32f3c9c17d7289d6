/**
 * Converts a CronJob between v1 and v2. The versions differ only in the schedule. conversion.test.ts checks that
 * conversions lose no data.
 */
import type { ObjectMeta } from 'controller-runtime/kubernetes';
import { isSameJson } from 'controller-runtime/schema';
import type { CronJobSpec } from '../v1/cronjob-types.ts';
import { GROUP } from '../v1/groupversion.ts';
import { isRecord } from '../v1/raw-object.ts';

/**
 * Annotation of a CronJob in v1. The value is the schedule in v2, in JSON. Set only if the user wrote a form that
 * differs from the usual form in v2. For example, the usual form omits `minute: "*"`. The annotation has no effect
 * after a change of the schedule in v1.
 */
export const SCHEDULE_ANNOTATION = `${GROUP}/v2-schedule`;

export const SCHEDULE_PARTS = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const;

/** In characters. Five parts of this length and four spaces have the maximum length of a schedule in v1. */
export const MAX_PART_LENGTH = 204;

/** The rules of the schedule that the types of its fields do not express. */
export const PART_FAULT_MESSAGE = 'must be one part of a cron schedule without spaces, such as 0 or */15';
export const ALTERNATIVES_MESSAGE = 'give either expression, or minute, hour, dayOfMonth, month and dayOfWeek';

/** Whether the text can be a part of a schedule. A part has no spaces, because spaces separate the five parts in v1. */
export function isSchedulePart(text: string): boolean {
  return /^\S+$/.test(text) && text.length <= MAX_PART_LENGTH;
}

/** A schedule: either its parts, where an absent part matches every value, or the whole schedule as text. */
export type StructuredSchedule = {
  readonly [Field in (typeof SCHEDULE_PARTS)[number] | 'expression']?: string | undefined;
};
type Metadata = Pick<ObjectMeta, 'labels' | 'annotations'>;

interface VersionedCronJob<Spec> {
  readonly metadata: Metadata;
  readonly spec: Spec;
}

type SpecV2 = Omit<CronJobSpec, 'schedule'> & { readonly schedule: StructuredSchedule };

/** Throws a TypeError for a schedule of a wrong type. */
export function toHub({ metadata, spec }: VersionedCronJob<SpecV2>): VersionedCronJob<CronJobSpec> {
  const { schedule, ...rest } = spec;
  // In server-side apply, the API server converts incomplete objects.
  if (schedule === undefined) return { metadata, spec: rest as CronJobSpec };
  const text = toScheduleText(schedule);
  const writtenSchedule = isSameJson(toSchedule(text), schedule) ? undefined : JSON.stringify(schedule);
  return { metadata: withScheduleAnnotation(metadata, writtenSchedule), spec: { ...rest, schedule: text } };
}

/** Never throws, because clients cannot list the CronJobs of a namespace if the conversion of one CronJob fails. */
export function fromHub({ metadata, spec }: VersionedCronJob<CronJobSpec>): VersionedCronJob<SpecV2> {
  const { schedule: text, ...rest } = spec;
  if (typeof text !== 'string') return { metadata, spec: spec as unknown as SpecV2 };
  const writtenSchedule = parseScheduleAnnotation(metadata.annotations?.[SCHEDULE_ANNOTATION], text);
  return {
    metadata: withScheduleAnnotation(metadata, undefined),
    spec: { ...rest, schedule: writtenSchedule ?? toSchedule(text) },
  };
}

/** Returns the schedule of v1. Throws a TypeError for a schedule of a wrong type. */
export function toScheduleText(schedule: StructuredSchedule): string {
  const texts = isRecord(schedule) ? [schedule.expression, ...SCHEDULE_PARTS.map((part) => schedule[part])] : [null];
  if (!texts.every((text) => text === undefined || typeof text === 'string'))
    throw new TypeError('the schedule, or a part of it, has a wrong type');
  const [expression, ...parts] = texts;
  return expression ?? parts.map((part) => part ?? '*').join(' ');
}

/** Returns the schedule of v2 in its usual form. Accepts any schedule of v1. */
function toSchedule(text: string): StructuredSchedule {
  const parts = text.split(' ');
  if (parts.length !== SCHEDULE_PARTS.length || !parts.every(isSchedulePart)) return { expression: text };
  return Object.fromEntries(
    SCHEDULE_PARTS.map((name, index) => [name, parts[index]]).filter(([, part]) => part !== '*'),
  );
}

/** Returns the schedule in the annotation if its text is still equal to the schedule of v1. */
function parseScheduleAnnotation(annotation: string | undefined, text: string): StructuredSchedule | undefined {
  try {
    const schedule = JSON.parse(annotation ?? 'null') as StructuredSchedule; // toScheduleText checks the type
    return toScheduleText(schedule) === text ? schedule : undefined;
  } catch {
    return undefined;
  }
}

function withScheduleAnnotation({ labels, annotations }: Metadata, value: string | undefined): Metadata {
  const { [SCHEDULE_ANNOTATION]: _, ...others } = annotations ?? {};
  const changed = { ...others, ...(value !== undefined && { [SCHEDULE_ANNOTATION]: value }) };
  return { ...(labels && { labels }), ...(Object.keys(changed).length > 0 && { annotations: changed }) };
}
