/** The part of JSON Schema that a CustomResourceDefinition may use, as Kubernetes calls it: a structural schema. */
export interface StructuralSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly anyOf?: readonly StructuralSchema[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** A rule in the Common Expression Language that the API server evaluates on each write. */
export interface ValidationRule {
  /** True when the object is good; `self` is the value the rule stands on, `oldSelf` what was stored there. */
  readonly rule: string;
  /** What the user reads: what is wrong and what to do. */
  readonly message: string;
  /** The field to blame, relative to the value the rule stands on, for example `.metadata.name`. */
  readonly fieldPath?: string;
  /** `oldSelf` is a CEL optional, without a value on create: the rule can let pass what was stored before it. */
  readonly optionalOldSelf?: true;
}

/** Every key that {@link StructuralSchema} has. */
export const STRUCTURAL_KEYS: ReadonlySet<string> = new Set<keyof StructuralSchema>([
  'type',
  'description',
  'format',
  'default',
  'enum',
  'nullable',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'anyOf',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);
