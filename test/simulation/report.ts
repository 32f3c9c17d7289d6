/** The report of a year that has broken a rule. */
import type { Limits } from './limits.ts';
import type { Violation } from './model.ts';
import { commandOf } from './options.ts';

/** Empty when no rule was broken. */
export function report(seed: number, limits: Limits, violations: readonly Violation[]): string {
  const [first] = violations;
  if (first === undefined) return '';
  const rules = violations.map(({ key, rule }) => `  ${key}: ${rule}`);
  return [
    `The year of seed ${seed} broke:`,
    ...new Set(rules),
    `What happened to ${first.key}:`,
    ...first.journal.map((line) => `  ${line}`),
    `Again: ${commandOf(seed, limits)}`,
  ].join('\n');
}
