/** Random numbers that a seed repeats. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). The generator is mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** A number from `min` to `max`, with equal probability for each order of magnitude. */
  spread(min: number, max: number): number {
    return min * (max / min) ** this.next();
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Picks one of the choices, which must not be empty. */
  pick<T>(choices: readonly T[]): T {
    return choices[this.int(0, choices.length - 1)] as T; // the index is in range; the list may contain undefined
  }

  /** Picks a choice, with a probability proportional to its weight. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.next() * choices.reduce((total, [weight]) => total + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    throw new RangeError('weighted: nothing to choose from');
  }

  /** Separate generators by name: the values of one do not depend on the others. */
  byName(): (name: string) => Random {
    const seed = Math.floor(this.next() * 2 ** 32);
    const generators = new Map<string, Random>();
    return (name) => {
      const random = generators.get(name) ?? new Random(hash(name, seed));
      generators.set(name, random);
      return random;
    };
  }

  /** A separate generator, so that the draws of one part of a simulation do not affect the others. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32));
  }
}

/** FNV-1a. */
function hash(text: string, seed: number): number {
  let state = seed ^ 0x811c9dc5;
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return state >>> 0;
}
