/** Keeps one large field of an object as JSON text, which reduces the memory of a kind's cache to a third. */

/** Compacts objects, and recognizes compact objects. */
export interface CompactForm<T> {
  /**
   * Returns a copy that parses the field when you read it. Do not change the field's value: objects with equal values
   * share it.
   */
  compact(object: T): T;
  /** Whether {@link compact} made the object. False for a copy of it. */
  isCompact(object: T): boolean;
}

/** @param field Name of the large field. Its value is JSON, and few different values occur. */
export function compactForm<T extends object>(field: keyof T & string): CompactForm<T> {
  const texts = new SharedTexts();

  class Compact {
    readonly #text: SharedText;
    /** One getter for all objects: with one for each, V8 makes a hash table of each object. */
    static readonly GETTER: PropertyDescriptor & ThisType<Compact> = {
      enumerable: true, // so that spread copies it
      get() {
        return this.#text.value;
      },
    };

    constructor({ [field]: value, ...others }: T) {
      this.#text = texts.get(JSON.stringify(value));
      Object.assign(this, others);
      Object.defineProperty(this, field, Compact.GETTER);
    }
  }

  return {
    // A compact object has every field of the object.
    compact: (object) => (object[field] === undefined ? object : (new Compact(object) as T)),
    isCompact: (object) => object instanceof Compact,
  };
}

/** The texts in use, each stored once. */
class SharedTexts {
  readonly #texts = new Map<string, WeakRef<SharedText>>();
  readonly #collected = new FinalizationRegistry((text: string) => {
    // A newer value of the same text may exist.
    if (this.#texts.get(text)?.deref() === undefined) this.#texts.delete(text);
  });

  get(text: string): SharedText {
    const shared = this.#texts.get(text)?.deref();
    if (shared !== undefined) return shared;
    const created = new SharedText(text);
    this.#texts.set(text, new WeakRef(created));
    this.#collected.register(created, text);
    return created;
  }
}

class SharedText {
  readonly #text: string;
  /** Keeps the last parsed value, so that a busy minute parses it once. The next garbage collection clears it. */
  #last: WeakRef<object> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get value(): object {
    const last = this.#last?.deref();
    if (last !== undefined) return last;
    const parsed: object = JSON.parse(this.#text);
    this.#last = new WeakRef(parsed);
    return parsed;
  }
}
