/** The results of lint. */

export const LEVELS = ['error', 'warning', 'note'] as const;

export interface Problem {
  /**
   * `error`: the API server would refuse it. `warning`: the webhook would warn about it, or the text has a duplicate. `note`: no
   * action needed.
   */
  readonly level: (typeof LEVELS)[number];
  readonly file: string;
  /** Starts at 1. */
  readonly line: number;
  /** Starts at 1, in characters. */
  readonly column: number;
  /** Such as `spec.schedule`. Absent when the text cannot be parsed. */
  readonly field?: string | undefined;
  readonly message: string;
}

/** A CronJob in the text, and the meaning of its schedule. */
export interface LintedCronJob {
  readonly file: string;
  readonly line: number;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly schedule?: string | undefined;
  readonly timeZone: string;
  /** Absent for an invalid schedule. */
  readonly words?: string | undefined;
  /** Clock changes in the next year. */
  readonly clockChanges: readonly { readonly at: string; readonly words: string }[];
}

/** The result for one text. */
export interface LintResult {
  readonly problems: readonly Problem[];
  readonly cronJobs: readonly LintedCronJob[];
  /** Number of objects of other kinds. */
  readonly others: number;
  /** Number of CronJobs that are skipped because they are templates. */
  readonly templates: number;
  /** Files that kustomizations list as patches, relative to the folder of the text. */
  readonly patches: readonly string[];
}

/** A problem at a place in a text. */
export interface TextFault {
  /** In UTF-16 code units from the beginning of the text. */
  readonly offset: number;
  readonly message: string;
}
