/** A kind from zod schemas: its types, its rules, its defaults. `controller-runtime/manifests` makes its CRD. */
export { condition, conditions } from './conditions.ts';
export { typeFault } from './fault-words.ts';
export { apiRule, int32, int64, intOrString, kubernetesSchema, time } from './field-types.ts';
export {
  defineKind,
  type Kind,
  type KindDefinition,
  type ObjectOf,
  type ReadonlyDeep,
  type SpecInputOf,
} from './kind.ts';
export { isSameJson } from './same-json.ts';
export type { PrinterColumn, StructuralSchema } from './structural-schema.ts';
