import type { Remedy } from './remedy.ts';
import type { ToldRun } from './told-run.ts';

/** What `why` answers. Without a remedy nothing is wrong, or nothing can be done. */
export interface Answer extends Remedy {
  /** One sentence, or a few. */
  readonly sentence: string;
  /** A run that it tells of, and whose Pods tell more. */
  readonly run?: ToldRun;
}
