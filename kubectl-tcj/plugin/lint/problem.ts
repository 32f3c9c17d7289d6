/** What lint says. */

export const LEVELS = ['error', 'warning', 'note'] as const;

export interface Problem {
  /** `error`: it would be refused. `warning`: the webhook would warn of it, or the text says something twice. `note`: nothing to do. */
  readonly level: (typeof LEVELS)[number];
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in characters. */
  readonly column: number;
  /** Such as `spec.schedule`. Absent where the text cannot be read. */
  readonly field?: string | undefined;
  readonly message: string;
}

/** A CronJob that was found, and what its schedule means. */
export interface LintedCronJob {
  readonly file: string;
  readonly line: number;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly schedule?: string | undefined;
  readonly timeZone: string;
  /** Absent for a schedule that cannot be read. */
  readonly words?: string | undefined;
  /** In the next year. */
  readonly clockChanges: readonly { readonly at: string; readonly words: string }[];
}

/** Of one text. */
export interface LintResult {
  readonly problems: readonly Problem[];
  readonly cronJobs: readonly LintedCronJob[];
  /** Objects of other kinds. */
  readonly others: number;
  /** CronJobs that are left out because they are templates. */
  readonly templates: number;
  /** Files that kustomizations name as patches, from the folder of the text. */
  readonly patches: readonly string[];
}

/** What is wrong at a place of a text. */
export interface Fault {
  /** In UTF-16 code units from the beginning of the text. */
  readonly offset: number;
  readonly message: string;
}
