/** Schemas for values that many kinds have: quantities, durations, cron schedules, selectors and references. */
import { z } from 'zod';
import { parseDurationMs } from '../kubernetes/duration.ts';
import { QUANTITY_PATTERN, Quantity } from '../kubernetes/quantity.ts';
import { EXAMPLES } from './examples.ts';

const QUANTITY_ERROR = 'must be a quantity, such as 500m, 2 or 1Gi';

/**
 * Schema of a {@link Quantity}, such as the size of a volume: a string or an integer. The CRD contains the same schema
 * as controller-gen generates for Go's `resource.Quantity`.
 */
export function quantity() {
  return z
    .union([z.int(), z.string()], { error: ({ input }) => (input === undefined ? '' : QUANTITY_ERROR) })
    .refine((value) => Quantity.tryParse(value) !== undefined, QUANTITY_ERROR)
    .meta({ 'x-kubernetes-int-or-string': true, pattern: QUANTITY_PATTERN })
    .register(EXAMPLES, { values: ['1Gi', '500m', '1.5', '1e3', 2, 0] });
}

/**
 * Schema of a duration in the format of Go's `metav1.Duration`, such as `90s` or `1h30m`. A negative duration is
 * invalid. `parseDurationMs` converts the duration to milliseconds.
 */
export function duration() {
  const error = 'must be a duration, such as 90s, 5m or 1h30m';
  return z
    .string()
    .max(64, { abort: true })
    .regex(/^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/, { abort: true, error })
    .refine((text) => parseDurationMs(text) !== undefined, error);
}

/** The result of parsing a cron schedule. */
export type ScheduleParseResult = { readonly kind: 'ok' } | { readonly kind: 'invalid'; readonly message: string };

/**
 * Schema of a cron schedule. For an invalid schedule, the webhooks return the error message of the parser. The CRD
 * limits only the length, because a pattern cannot check a schedule.
 *
 *     import { parseSchedule } from 'kubernetes-cron-schedule';
 *     const spec = z.object({ schedule: cronSchedule(parseSchedule) });
 *
 * @param parse Parser for schedules, such as `parseSchedule` of kubernetes-cron-schedule.
 */
export function cronSchedule(parse: (text: string) => ScheduleParseResult) {
  const findError = (text: string) => {
    const result = parse(text);
    return result.kind === 'ok' ? undefined : result.message;
  };
  return z
    .string()
    .min(1, { abort: true })
    .max(253, { abort: true })
    .refine((text) => findError(text) === undefined, { error: ({ input }) => findError(String(input)) })
    .register(EXAMPLES, { values: ['0 * * * *', '*/15 9-17 * * 1-5', '30 2 1 1,7 *', '@daily'] });
}

/** Schema of Go's `metav1.LabelSelector`. `client.list` accepts a label selector as its option `labelSelector`. */
export function objectSelector() {
  const requirement = z.object({
    key: z.string().min(1).max(316).describe('Key of the label.'),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('Relation of the label to the values.'),
    values: z
      .array(z.string().max(63))
      .max(100)
      .optional()
      .describe('Values of the label, for the operators In and NotIn.'),
  });
  return z
    .object({
      matchLabels: z.record(z.string(), z.string().max(63)).optional().describe('Labels that an object must have.'),
      matchExpressions: z.array(requirement).max(100).optional().describe('Requirements on the labels of an object.'),
    })
    .meta({ 'x-kubernetes-map-type': 'atomic' });
}

/** Schema of a reference to another object in the same namespace, such as a Secret: `{ name }`. */
export function localObjectReference() {
  return z
    .object({ name: z.string().min(1).max(253).describe('Name of the object.') })
    .meta({ 'x-kubernetes-map-type': 'atomic' });
}

/** Schema of a reference to one value in a Secret or a ConfigMap: `{ name, key }`. */
export function keyReference() {
  return z
    .object({
      name: z.string().min(1).max(253).describe('Name of the object.'),
      key: z.string().min(1).max(253).describe('Key of the value.'),
    })
    .meta({ 'x-kubernetes-map-type': 'atomic' });
}

/** Schema of a reference to an object of any kind: `{ apiVersion, kind, namespace, name }`. */
export function objectReference() {
  return z
    .object({
      apiVersion: z.string().min(1).max(317).describe('API version of the object, such as apps/v1.'),
      kind: z.string().min(1).max(63).describe('Kind of the object.'),
      namespace: z.string().min(1).max(63).optional().describe('Namespace of the object.'),
      name: z.string().min(1).max(253).describe('Name of the object.'),
    })
    .meta({ 'x-kubernetes-map-type': 'atomic' });
}
