import { z } from 'zod';
import { int64, time } from './field-types.ts';

/** The patterns are copied from Go's `metav1.Condition`. */
const CONDITION_TYPE_PATTERN =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;
const CONDITION_REASON_PATTERN = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/**
 * Schema of Go's `metav1.Condition`. Server-side apply tracks one owner for the whole condition instead of one owner
 * for each field.
 * @param typeDescription Description of the field `type`, such as `Available, Progressing or Degraded.`
 */
export function condition(typeDescription = 'Type of the condition, as one CamelCase word.') {
  return z
    .object({
      type: z.string().max(316).regex(CONDITION_TYPE_PATTERN).describe(typeDescription),
      status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
      observedGeneration: int64()
        .min(0)
        .optional()
        .describe('metadata.generation of the spec that the condition describes.'),
      lastTransitionTime: time().describe('Time of the last change of status.'),
      reason: z
        .string()
        .min(1)
        .max(1024)
        .regex(CONDITION_REASON_PATTERN)
        .describe('Reason for the status, as one CamelCase word.'),
      message: z.string().max(32768).describe('Explanation of the reason for users. May be empty.'),
    })
    .meta({ 'x-kubernetes-map-type': 'atomic' });
}

/**
 * Schema of `status.conditions`: an optional list with one {@link condition} for each type.
 * @param description Description of the list, such as `Ready is True when all Pods run.`
 */
export function conditions(description = 'Conditions of the object, one for each type.') {
  return z
    .array(condition())
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
    .optional()
    .describe(description);
}
