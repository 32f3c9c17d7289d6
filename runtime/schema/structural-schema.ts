/** A structural schema: the subset of OpenAPI v3 that a CustomResourceDefinition supports. */
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
  /** Additional schemas that the value must match. A schema in `allOf` has no `type`. */
  readonly allOf?: readonly StructuralSchema[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-embedded-resource'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** A validation rule in CEL (Common Expression Language). The API server evaluates the rule on each write. */
export interface ValidationRule {
  /** CEL expression that is true for a valid value. `self` is the new value, and `oldSelf` is the stored value. */
  readonly rule: string;
  /** Error message that tells the user what is wrong and how to fix it. */
  readonly message: string;
  /** Path of the invalid field relative to `self`, such as `.metadata.name`. */
  readonly fieldPath?: string;
  /**
   * With `true`, the API server evaluates the rule on create too, and `oldSelf` is a CEL `optional`, which is empty on
   * create.
   */
  readonly optionalOldSelf?: true;
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  /** Heading of the column. */
  readonly name: string;
  /** Type of the value. For a `date`, kubectl prints the age, or `<invalid>` if the time is in the future. */
  readonly type: 'boolean' | 'date' | 'integer' | 'number' | 'string';
  /** JSON path of the value, such as `.status.readyReplicas`. */
  readonly jsonPath: string;
  /** A column with a priority above 0 is shown only with `-o wide`. */
  readonly priority?: number;
  /** Description of the column for API clients. */
  readonly description?: string;
}

/** All keys of {@link StructuralSchema}. TypeScript reports an error if a key is missing. */
const STRUCTURAL_KEY_FLAGS: Readonly<Record<keyof StructuralSchema, true>> = {
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

export const STRUCTURAL_KEYS: ReadonlySet<string> = new Set(Object.keys(STRUCTURAL_KEY_FLAGS));
