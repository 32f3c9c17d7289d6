/** The report of a year that has broken a rule. */
import type { Limits } from './limits.ts';
import { formatCommand } from './options.ts';
import type { Violation } from './rule-checker.ts';

/** Empty when no rule was broken. */
export function formatReport(seed: number, limits: Limits, violations: readonly Violation[]): string {
  const [first] = violations;
  if (first === undefined) return '';
  const rules = violations.map(({ key, rule }) => `  ${key}: ${rule}`);
  return [
    `Rules that the year of seed ${seed} broke:`,
    ...new Set(rules),
    `Events of ${first.key}:`,
    ...first.journal.map((line) => `  ${line}`),
    `Reproduce: ${formatCommand(seed, limits)}`,
  ].join('\n');
}
