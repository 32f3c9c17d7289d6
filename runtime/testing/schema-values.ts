/** Generates the values of a structural schema with fast-check. */
import type { Arbitrary } from 'fast-check';
import type { StructuralSchema } from '../schema/structural-schema.ts';

export type FastCheck = typeof import('fast-check').default;

/**
 * Values for fields that cannot be generated. The keys are paths such as `spec.schedule`, or `spec.ports[].name` for
 * lists and maps.
 */
export type FieldValues = Readonly<Record<string, readonly unknown[]>>;

/** Maximum number of elements above the minimum size of a list or map. More elements find no further faults. */
const MAX_ELEMENTS = 3;
const MAX_STRING_LENGTH = 20;

export class SchemaValues {
  /** The paths of all generated fields. */
  readonly paths = new Set<string>();
  readonly #fc: FastCheck;
  readonly #fieldValues: FieldValues;

  constructor(fc: FastCheck, fieldValues: FieldValues) {
    this.#fc = fc;
    this.#fieldValues = fieldValues;
  }

  /**
   * Returns a generator of values of `schema`. For a pattern that is not supported, throws an error that contains the
   * path.
   */
  create(schema: StructuralSchema, path: string): Arbitrary<unknown> {
    this.paths.add(path);
    const values = this.#fieldValues[path];
    if (values !== undefined) return this.#fc.constantFrom(...values);
    try {
      const arbitrary = this.#createAny(schema, path);
      return schema.nullable ? this.#fc.option(arbitrary, { nil: null }) : arbitrary;
    } catch (cause) {
      if (cause instanceof Error && cause.message.startsWith('generate ')) throw cause;
      throw new Error(`generate ${path}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  }

  #createAny(schema: StructuralSchema, path: string): Arbitrary<unknown> {
    const fc = this.#fc;
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema['x-kubernetes-int-or-string']) return fc.oneof(fc.integer(), fc.string());
    switch (schema.type) {
      case 'object':
        return this.#createObject(schema, path);
      case 'array':
        return this.#createArray(schema, path);
      case 'string':
        return this.#createString(schema);
      case 'integer':
        return this.#createInteger(schema);
      case 'number':
        return this.#createNumber(schema);
      case 'boolean':
        return fc.boolean();
      default: // the schema accepts any value
        return fc.jsonValue({ maxDepth: 1 });
    }
  }

  #createObject(schema: StructuralSchema, path: string): Arbitrary<unknown> {
    const { properties = {}, additionalProperties, required = [] } = schema;
    const fields = Object.entries(properties).map(([key, child]) => [key, this.create(child, `${path}.${key}`)]);
    const others = additionalProperties
      ? this.create(additionalProperties, `${path}[]`)
      : schema['x-kubernetes-preserve-unknown-fields'] && this.#fc.jsonValue({ maxDepth: 1 });
    const record = this.#fc.record(Object.fromEntries(fields), { requiredKeys: [...required] as never[] });
    if (!others) return record;
    const { minProperties: minKeys = 0, maxProperties = Infinity } = schema;
    const keys = this.#fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,9}$/);
    const map = this.#fc.dictionary(keys, others, {
      minKeys,
      maxKeys: Math.min(maxProperties, minKeys + MAX_ELEMENTS),
    });
    return this.#fc.tuple(map, record).map(([unknownFields, known]) => ({ ...unknownFields, ...known }));
  }

  #createArray(schema: StructuralSchema, path: string): Arbitrary<unknown> {
    const { items = {}, minItems: minLength = 0, maxItems = Infinity } = schema;
    const element = this.create(items, `${path}[]`);
    const length = { minLength, maxLength: Math.min(maxItems, minLength + MAX_ELEMENTS) };
    if ((schema['x-kubernetes-list-type'] ?? 'atomic') === 'atomic') return this.#fc.array(element, length);
    const keys = schema['x-kubernetes-list-map-keys'];
    const selector = (value: unknown) =>
      JSON.stringify(keys === undefined ? value : keys.map((key) => (value as Record<string, unknown>)[key]));
    return this.#fc.uniqueArray(element, { ...length, selector });
  }

  #createString({ format, pattern, allOf = [], ...bounds }: StructuralSchema): Arbitrary<string> {
    const { minLength = 0, maxLength = Infinity } = bounds;
    if (format === 'date-time') return this.#createTime();
    const patterns = [{ pattern }, ...allOf].flatMap((each) => (each.pattern === undefined ? [] : [each.pattern]));
    const [first, ...others] = patterns.map((each) => new RegExp(each));
    if (first === undefined)
      return this.#fc.string({ minLength, maxLength: Math.min(maxLength, minLength + MAX_STRING_LENGTH) });
    return this.#fc
      .stringMatching(first)
      .filter((text) => text.length >= minLength && text.length <= maxLength)
      .filter((text) => others.every((other) => other.test(text)));
  }

  #createTime(): Arbitrary<string> {
    const range = { min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true };
    return this.#fc.date(range).map((date) => `${date.toISOString().slice(0, 19)}Z`);
  }

  #createInteger(schema: StructuralSchema): Arbitrary<number> {
    const limit = schema.format === 'int64' ? Number.MAX_SAFE_INTEGER : 2 ** 31 - 1;
    const { minimum = -limit, maximum = limit, exclusiveMinimum, exclusiveMaximum, multipleOf: step = 1 } = schema;
    const min = Math.ceil(Math.max(minimum, -limit) / step) + (exclusiveMinimum && minimum % step === 0 ? 1 : 0);
    const max = Math.floor(Math.min(maximum, limit) / step) - (exclusiveMaximum && maximum % step === 0 ? 1 : 0);
    return this.#fc.integer({ min, max }).map((value) => value * step);
  }

  #createNumber(schema: StructuralSchema): Arbitrary<number> {
    if (schema.multipleOf !== undefined) return this.#createInteger(schema);
    const { minimum: min = -1e9, maximum: max = 1e9, exclusiveMinimum, exclusiveMaximum } = schema;
    const exclusive = { minExcluded: exclusiveMinimum ?? false, maxExcluded: exclusiveMaximum ?? false };
    return this.#fc.double({ min, max, ...exclusive, noNaN: true, noDefaultInfinity: true });
  }
}
