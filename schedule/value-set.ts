/** A set of small numbers that knows, from any number, the nearest member on either side. */
export class ValueSet {
  readonly #atOrAfter: Int8Array;
  readonly #atOrBefore: Int8Array;

  /** @param values Members, from 0 to `max`; at least one. @param max At most 126. */
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

  /** The smallest member that is `value` or more; -1 when there is none. */
  atOrAfter(value: number): number {
    return this.#atOrAfter[value] ?? -1;
  }

  /** The largest member that is `value` or less; -1 when there is none. */
  atOrBefore(value: number): number {
    return this.#atOrBefore[value] ?? -1;
  }
}
