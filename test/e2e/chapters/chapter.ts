import type { Operator } from '../support/operator.ts';

/** Registers tests. The operator is there when they run, not when they are registered. */
export type Chapter = (operator: () => Operator) => void;
