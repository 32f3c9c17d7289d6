/** Defines custom kinds with zod schemas. `controller-runtime/manifests` generates the CRD of a kind. */
export { condition, conditions } from './conditions.ts';
export { type ApiRule, apiRule, int32, int64, intOrString, kubernetesSchema, time } from './field-types.ts';
export { typeErrorMessage } from './issue-messages.ts';
export {
  defineKind,
  type Kind,
  type KindDefinition,
  type ObjectOf,
  type ReadonlyDeep,
  type SpecInputOf,
} from './kind.ts';
export type { KindSchema, NameRule } from './kind-schema.ts';
export { isSameJson } from './same-json.ts';
export type { PrinterColumn, StructuralSchema, ValidationRule } from './structural-schema.ts';
export {
  cronSchedule,
  duration,
  keyReference,
  localObjectReference,
  objectReference,
  objectSelector,
  quantity,
  type ScheduleResult,
} from './value-types.ts';
