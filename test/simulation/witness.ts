import type { Result } from '../../runtime/controller/reconcile.ts';
import type { Pass } from './pass.ts';

/** How a pass ended. */
export type PassEnd =
  | { readonly kind: 'Returned'; readonly result: Result }
  | { readonly kind: 'Threw'; readonly error: unknown };

/** A line of the log that says that something failed. */
export interface ErrorLine {
  readonly message: string;
  readonly error: unknown;
}

/** Is told what the process does. */
export interface Witness {
  passEnded(pass: Pass, end: PassEnd): void;
  eventRecorded(pass: Pass, reason: string): void;
  errorLogged(key: string, line: ErrorLine): void;
  /** It does something more often than the rule allows. */
  overdone(key: string, rule: string): void;
  processDied(): void;
}
