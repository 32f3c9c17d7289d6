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
        return this.#text.parsed;
      },
    };

    constructor({ [field]: value, ...others }: T) {
      this.#text = texts.of(JSON.stringify(value));
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
  readonly #shared = new Map<string, WeakRef<SharedText>>();
  readonly #collected = new FinalizationRegistry((text: string) => {
    // A newer value of the same text may exist.
    if (this.#shared.get(text)?.deref() === undefined) this.#shared.delete(text);
  });

  of(text: string): SharedText {
    const shared = this.#shared.get(text)?.deref();
    if (shared !== undefined) return shared;
    const made = new SharedText(text);
    this.#shared.set(text, new WeakRef(made));
    this.#collected.register(made, text);
    return made;
  }
}

class SharedText {
  readonly #text: string;
  /** Keeps the last parsed value, so that a busy minute parses it once. The next garbage collection clears it. */
  #last: WeakRef<object> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get parsed(): object {
    const last = this.#last?.deref();
    if (last !== undefined) return last;
    const parsed: object = JSON.parse(this.#text);
    this.#last = new WeakRef(parsed);
    return parsed;
  }
}
