/** The result of a check that depends on external services, and its form for `make verify`. */

export type CheckVerdict =
  | { readonly kind: 'passed' }
  /** Sentences that each describe a fault and its fix. */
  | { readonly kind: 'failed'; readonly problems: readonly string[] }
  /** The check did not run, which is not the same as `passed`. */
  | { readonly kind: 'not checked'; readonly reason: string };

const NOT_CHECKED = 'not checked: ';

/** Reports the verdict to the parent process with the exit code and the output. */
export function reportVerdict(verdict: CheckVerdict): void {
  if (verdict.kind === 'passed') console.log('passed');
  if (verdict.kind === 'not checked') console.log(NOT_CHECKED + verdict.reason);
  if (verdict.kind !== 'failed') return;
  console.error(verdict.problems.join('\n'));
  process.exitCode = 1;
}

/** The reason why a check did not run, from its output; `undefined` when it ran. */
export function parseNotCheckedReason(output: string): string | undefined {
  const line = output.split('\n').find((candidate) => candidate.startsWith(NOT_CHECKED));
  return line?.slice(NOT_CHECKED.length);
}
