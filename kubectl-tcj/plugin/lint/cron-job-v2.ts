/** Converts a CronJob from version v2 to v1. In v2, the schedule has a field for each part, such as `minute`. */
import type { StructuralSchema } from 'controller-runtime';
import { type FieldError, invalid } from 'controller-runtime/kubernetes';
import { MAX_SCHEDULE_LENGTH } from '../../../api/v1/cronjob-defaults.ts';
import { API_VERSION } from '../../../api/v1/groupversion.ts';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';
import {
  ALTERNATIVES_MESSAGE,
  isSchedulePart,
  MAX_PART_LENGTH,
  PART_FAULT_MESSAGE,
  SCHEDULE_PARTS,
  type StructuredSchedule,
  toScheduleText,
} from '../../../api/v2/conversion.ts';
import { checkSchema } from './schema-faults.ts';

const SCHEDULE_FIELD = 'spec.schedule';
const PART_SCHEMA: StructuralSchema = { type: 'string', maxLength: MAX_PART_LENGTH };
const SCHEDULE_SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    ...Object.fromEntries(SCHEDULE_PARTS.map((part) => [part, PART_SCHEMA])),
    expression: { type: 'string', minLength: 1, maxLength: MAX_SCHEDULE_LENGTH },
  },
};

/** Never throws. If the schedule has faults, the converted CronJob has no schedule. */
export function convertToV1(cronJob: unknown): { readonly value: unknown; readonly faults: readonly FieldError[] } {
  if (!isRecord(cronJob)) return { value: cronJob, faults: [] };
  const value = { ...cronJob, apiVersion: API_VERSION };
  const [spec, v2Schedule] = [valueAt(cronJob, 'spec'), valueAt(cronJob, 'spec', 'schedule')];
  if (!isRecord(spec) || (v2Schedule ?? undefined) === undefined) return { value, faults: [] };
  // A part of the schedule that is null counts as absent.
  const schedule = isRecord(v2Schedule)
    ? Object.fromEntries(Object.entries(v2Schedule).filter(([, part]) => part !== null))
    : v2Schedule;
  const faults = [...findScheduleFaults(schedule)];
  const text = faults.length === 0 ? toScheduleText(schedule as StructuredSchedule) : undefined;
  return { value: { ...value, spec: { ...spec, schedule: text } }, faults };
}

function* findScheduleFaults(schedule: unknown): Generator<FieldError> {
  yield* checkSchema(SCHEDULE_SCHEMA, { value: schedule, path: ['spec', 'schedule'] });
  if (!isRecord(schedule)) return;
  const parts = SCHEDULE_PARTS.flatMap((name) =>
    schedule[name] === undefined ? [] : [{ name, text: schedule[name] }],
  );
  for (const { name, text } of parts)
    if (typeof text === 'string' && !isSchedulePart(text))
      yield invalid(`${SCHEDULE_FIELD}.${name}`, text, PART_FAULT_MESSAGE);
  if (schedule['expression'] !== undefined && parts.length > 0)
    yield invalid(SCHEDULE_FIELD, schedule, ALTERNATIVES_MESSAGE);
}
