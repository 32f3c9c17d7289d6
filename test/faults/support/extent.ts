/** How much of the suites runs: all of it, or, with FAULTS=fast, a part of each suite that takes minutes, for CI. */
export const IS_FAST = process.env['FAULTS'] === 'fast';

interface ExtentChoice<T> {
  readonly all: T;
  readonly fast: T;
}

export function chooseExtent<T>({ all, fast }: ExtentChoice<T>): T {
  return IS_FAST ? fast : all;
}
