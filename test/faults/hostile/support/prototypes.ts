/** Whether the built-in prototypes are unchanged since this module was loaded. */
const PROTOTYPES = [Object, Array, String, Number, Boolean, Function, Date, Map, Set, Promise].map(
  ({ prototype }) => prototype as object,
);
const KEYS = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length);

/** Throws when a prototype has another number of keys, or another prototype, than before. */
export function expectUnchangedPrototypes(): void {
  for (const key in {}) throw new Error(`every object has the property "${key}"`);
  for (const [index, prototype] of PROTOTYPES.entries()) {
    const keys = Reflect.ownKeys(prototype);
    if (keys.length !== KEYS[index]) throw new Error(`a prototype was changed: ${keys.map(String).join(', ')}`);
  }
}
