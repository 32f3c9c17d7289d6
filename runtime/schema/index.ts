/** Defines custom kinds with zod schemas. `controller-runtime/manifests` generates the CRD of a kind. */
export { condition, conditions } from './conditions.ts';
export { defineKind, type KindDefinition } from './define-kind.ts';
export { type ApiRule, apiRule, int32, int64, intOrString, kubernetesSchema, time } from './field-types.ts';
export type { Kind, KindVersion, ObjectOf, ReadonlyDeep, ScalePaths, SpecInputOf, VersionSettings } from './kind.ts';
export type { KindSchema, NameRule } from './kind-schema.ts';
export type {
  ConvertedObject,
  NoVersions,
  UnconvertedVersion,
  VersionConversion,
  VersionDefinition,
  VersionedKind,
  VersionObject,
} from './kind-version.ts';
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
  type ScheduleParseResult,
} from './value-types.ts';
