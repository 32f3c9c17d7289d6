/** The types of the results of `kubectl tcj lint`. */

export const PROBLEM_LEVELS = ['error', 'warning', 'note'] as const;

export interface Problem {
  /**
   * `error`: the API server would refuse the object. `warning`: the webhook would return a warning, or the text has a duplicate key
   * or invalid UTF-8. `note`: no action is needed.
   */
  readonly level: (typeof PROBLEM_LEVELS)[number];
  readonly file: string;
  /** Starts at 1. */
  readonly line: number;
  /** The number of the character in the line, starting at 1. */
  readonly column: number;
  /** A path such as `spec.schedule`, or `undefined` if the text cannot be parsed. */
  readonly field?: string | undefined;
  readonly message: string;
}

export interface LintedCronJob {
  readonly file: string;
  readonly line: number;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly schedule?: string | undefined;
  /** The texts of `spec.schedules`. Set only if the list is not empty. */
  readonly schedules?: readonly string[] | undefined;
  readonly timeZone: string;
  /** The schedule in words. Set only if the schedule is valid. */
  readonly words?: string | undefined;
  /** Clock changes within the next year that affect the schedule. */
  readonly clockChanges: readonly { readonly at: string; readonly words: string }[];
  readonly manifest: CronJobManifest;
}

export interface CronJobManifest {
  readonly value: unknown;
  /** Whether the API server would refuse the object. */
  readonly hasErrors: boolean;
}

export interface LintResult {
  readonly problems: readonly Problem[];
  readonly cronJobs: readonly LintedCronJob[];
  readonly otherObjectCount: number;
  /** The number of CronJobs that lint skipped because they are templates. */
  readonly templateCount: number;
  /** The patch files of a kustomization, relative to its folder. */
  readonly patches: readonly string[];
}

export interface TextFault {
  /** The offset in UTF-16 code units. */
  readonly offset: number;
  readonly message: string;
}
