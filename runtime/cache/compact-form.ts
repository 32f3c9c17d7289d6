/** Stores one large field of an object as JSON text, so that the cache of a kind needs only a third of the memory. */

/** Replaces a large field of objects with a getter that parses the JSON text of the field. */
export interface CompactForm<T> {
  /**
   * Returns a copy of `object` that parses the field on each read. Objects with equal values of the field share the
   * parsed value, so do not change it.
   */
  compact(object: T): T;
  /** Returns whether {@link compact} created the object. Returns false for a copy of a compact object. */
  isCompact(object: T): boolean;
}

/**
 * Creates a {@link CompactForm} for one field. Use this function for a field that has the same value in many objects.
 * @param field Name of the field. The value of the field must be JSON.
 */
export function compactForm<T extends object>(field: keyof T & string): CompactForm<T> {
  const textPool = new JsonTextPool();

  class CompactObject {
    readonly #jsonText: SharedJsonText;
    /**
     * All objects share one getter. If each object had its own getter, V8 would store the objects as hash tables, which
     * need more memory.
     */
    static readonly FIELD_GETTER: PropertyDescriptor & ThisType<CompactObject> = {
      enumerable: true, // spread syntax copies only enumerable fields
      get() {
        return this.#jsonText.value;
      },
    };

    constructor({ [field]: value, ...otherFields }: T) {
      this.#jsonText = textPool.get(JSON.stringify(value));
      Object.assign(this, otherFields);
      Object.defineProperty(this, field, CompactObject.FIELD_GETTER);
    }
  }

  return {
    // A compact object has all fields of the object.
    compact: (object) => (object[field] === undefined ? object : (new CompactObject(object) as T)),
    isCompact: (object) => object instanceof CompactObject,
  };
}

/** Stores equal JSON texts only once, until no object uses the text. */
class JsonTextPool {
  readonly #textRefs = new Map<string, WeakRef<SharedJsonText>>();
  readonly #registry = new FinalizationRegistry((text: string) => {
    // The map may contain a newer object for the same text.
    if (this.#textRefs.get(text)?.deref() === undefined) this.#textRefs.delete(text);
  });

  get(text: string): SharedJsonText {
    const existingText = this.#textRefs.get(text)?.deref();
    if (existingText !== undefined) return existingText;
    const newText = new SharedJsonText(text);
    this.#textRefs.set(text, new WeakRef(newText));
    this.#registry.register(newText, text);
    return newText;
  }
}

class SharedJsonText {
  readonly #jsonText: string;
  /**
   * The parsed value, until the garbage collector removes it. The parsed value saves time, because reconciles often
   * read equal texts within the same minute.
   */
  #parsedValue: WeakRef<object> | undefined;

  constructor(text: string) {
    this.#jsonText = text;
  }

  get value(): object {
    const parsedValue = this.#parsedValue?.deref();
    if (parsedValue !== undefined) return parsedValue;
    const newValue: object = JSON.parse(this.#jsonText);
    this.#parsedValue = new WeakRef(newValue);
    return newValue;
  }
}
