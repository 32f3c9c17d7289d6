import type { Operator } from '../support/operator.ts';

/** Registers tests. The operator exists when they run, but not at the registration. */
export type Chapter = (operator: () => Operator) => void;
