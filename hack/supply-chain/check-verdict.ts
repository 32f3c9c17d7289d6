/** The result of a check that needs external services, and its output for `make verify`. */

export type CheckVerdict =
  | { readonly kind: 'passed' }
  /** Each problem is a sentence about a fault and its fix. */
  | { readonly kind: 'failed'; readonly problems: readonly string[] }
  /** The check could not run. */
  | { readonly kind: 'not checked'; readonly reason: string };

const NOT_CHECKED = 'not checked: ';

/** Prints the verdict, and sets the exit code. */
export function reportVerdict(verdict: CheckVerdict): void {
  if (verdict.kind === 'passed') console.log('passed');
  if (verdict.kind === 'not checked') console.log(NOT_CHECKED + verdict.reason);
  if (verdict.kind !== 'failed') return;
  console.error(verdict.problems.join('\n'));
  process.exitCode = 1;
}

/** Returns the reason that a check did not run, or `undefined` if the check ran. */
export function parseNotCheckedReason(output: string): string | undefined {
  const line = output.split('\n').find((candidate) => candidate.startsWith(NOT_CHECKED));
  return line?.slice(NOT_CHECKED.length);
}
