/** Defines a kind from zod schemas: its types, rules and defaults. `controller-runtime/manifests` generates its CRD. */
export { condition, conditions } from './conditions.ts';
export { apiRule, int32, int64, intOrString, kubernetesSchema, time } from './field-types.ts';
export { typeErrorMessage } from './issue-messages.ts';
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
