/** What a check that needs others can end with, and how `make verify` hears of it. */

export type Verdict =
  | { readonly kind: 'passed' }
  /** One sentence each: what is wrong, and what to do. */
  | { readonly kind: 'failed'; readonly faults: readonly string[] }
  /** Nothing is known. Never to be taken for `passed`. */
  | { readonly kind: 'not checked'; readonly reason: string };

const NOT_CHECKED = 'not checked: ';

/** Tells the process that started this one: by its exit code, and by what is printed. */
export function report(verdict: Verdict): void {
  if (verdict.kind === 'passed') console.log('passed');
  if (verdict.kind === 'not checked') console.log(NOT_CHECKED + verdict.reason);
  if (verdict.kind !== 'failed') return;
  console.error(verdict.faults.join('\n'));
  process.exitCode = 1;
}

/** Why nothing was checked, from what a check printed; `undefined` when it was. */
export function notCheckedReason(output: string): string | undefined {
  const line = output.split('\n').find((candidate) => candidate.startsWith(NOT_CHECKED));
  return line?.slice(NOT_CHECKED.length);
}
