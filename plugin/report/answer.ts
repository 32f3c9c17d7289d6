import type { ToldRun } from './told-run.ts';

/** What `why` answers. */
export interface Answer {
  /** One sentence, or a few. */
  readonly sentence: string;
  /** What to do about it; absent where nothing is wrong. */
  readonly change?: string;
  /** A run that it tells of, and whose Pods tell more. */
  readonly run?: ToldRun;
}
