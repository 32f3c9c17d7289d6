/** The part of JSON Schema that a CustomResourceDefinition may use. Kubernetes calls it a structural schema. */
export interface StructuralSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly anyOf?: readonly StructuralSchema[];
  /** Further limits of the same value; without types. */
  readonly allOf?: readonly StructuralSchema[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-embedded-resource'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** A rule in the Common Expression Language that the API server evaluates on each write. */
export interface ValidationRule {
  /** True when the object is valid; `self` is the value to which the rule belongs, `oldSelf` the stored value. */
  readonly rule: string;
  /** Message for the user: what is wrong and what to do. */
  readonly message: string;
  /** The field to blame, relative to the value to which the rule belongs, for example `.metadata.name`. */
  readonly fieldPath?: string;
  /**
   * `oldSelf` is a CEL optional, without a value on create: the rule can accept values that were stored before the rule
   * existed.
   */
  readonly optionalOldSelf?: true;
}

/** A column of `kubectl get`, which prints the names in capitals. */
export interface PrinterColumn {
  readonly name: string;
  /** `date` prints the age, and `<invalid>` for a time in the future. */
  readonly type: 'boolean' | 'date' | 'integer' | 'number' | 'string';
  readonly jsonPath: string;
  /** Above 0: only with `-o wide`. */
  readonly priority?: number;
  readonly description?: string;
}

/** Every key of {@link StructuralSchema}; the compiler checks that the list is complete. */
const KEYS: Readonly<Record<keyof StructuralSchema, true>> = {
  type: true,
  description: true,
  format: true,
  default: true,
  enum: true,
  nullable: true,
  minimum: true,
  maximum: true,
  exclusiveMinimum: true,
  exclusiveMaximum: true,
  multipleOf: true,
  minLength: true,
  maxLength: true,
  pattern: true,
  minItems: true,
  maxItems: true,
  minProperties: true,
  maxProperties: true,
  required: true,
  properties: true,
  additionalProperties: true,
  items: true,
  anyOf: true,
  allOf: true,
  'x-kubernetes-int-or-string': true,
  'x-kubernetes-preserve-unknown-fields': true,
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-list-type': true,
  'x-kubernetes-list-map-keys': true,
  'x-kubernetes-map-type': true,
  'x-kubernetes-validations': true,
};

export const STRUCTURAL_KEYS: ReadonlySet<string> = new Set(Object.keys(KEYS));
