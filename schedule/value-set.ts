/** A set of small numbers with constant-time search for the nearest member. */
export class ValueSet {
  readonly #atOrAfter: Int8Array;
  readonly #atOrBefore: Int8Array;

  /** @param values At least one number from 0 to `max`. @param max At most 126. */
  constructor(values: readonly number[], max: number) {
    this.#atOrAfter = new Int8Array(max + 2).fill(-1);
    this.#atOrBefore = new Int8Array(max + 1).fill(-1);
    for (const value of values) {
      this.#atOrAfter[value] = value;
      this.#atOrBefore[value] = value;
    }
    for (let value = max; value >= 0; value--) {
      if (this.#atOrAfter[value] === -1) this.#atOrAfter[value] = this.#atOrAfter[value + 1] ?? -1;
    }
    for (let value = 1; value <= max; value++) {
      if (this.#atOrBefore[value] === -1) this.#atOrBefore[value] = this.#atOrBefore[value - 1] ?? -1;
    }
  }

  /** Returns the smallest member that is at least `value`, or -1 if the set has no such member. */
  atOrAfter(value: number): number {
    return this.#atOrAfter[value] ?? -1;
  }

  /** Returns the largest member that is at most `value`, or -1 if the set has no such member. */
  atOrBefore(value: number): number {
    return this.#atOrBefore[value] ?? -1;
  }
}
