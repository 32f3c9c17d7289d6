/** Keeps one large field of an object as JSON text, so that the cache of a kind takes little memory: as text it takes a third. */

/** Makes objects compact, and recognizes them. */
export interface CompactForm<T> {
  /** A copy whose field is parsed when it is read. Not to be changed: equal values of the field are shared. */
  compact(object: T): T;
  /** Whether {@link compact} made the object. False for a copy of it. */
  isCompact(object: T): boolean;
}

/** @param field Name of the large field. Its value is JSON, in objects of few different values. */
export function compactForm<T extends object>(field: keyof T & string): CompactForm<T> {
  const texts = new SharedTexts();

  class Compact {
    readonly #text: SharedText;
    /** One getter for all objects: with one for each, V8 makes a hash table of each object. */
    static readonly GETTER: PropertyDescriptor & ThisType<Compact> = {
      enumerable: true, // so that a copy has it
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
    // It has every field of the object.
    compact: (object) => (object[field] === undefined ? object : (new Compact(object) as T)),
    isCompact: (object) => object instanceof Compact,
  };
}

/** The texts in use, each once. */
class SharedTexts {
  readonly #shared = new Map<string, WeakRef<SharedText>>();
  readonly #collected = new FinalizationRegistry((text: string) => {
    // Another one of the same text may have been made since.
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
  /** So that a busy minute parses it once; gone with the next garbage collection. */
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
