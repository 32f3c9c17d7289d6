import { DEFAULT_CATCH_UP_LIMIT } from './cronjob-defaults.ts';
import type { CronJobSpec } from './cronjob-types.ts';

type ConcurrencySpec = Pick<CronJobSpec, 'concurrencyPolicy' | 'maxConcurrentRuns'>;

/**
 * Returns the maximum number of active runs, or `undefined` without a maximum. Other code enforces Forbid and Replace.
 */
export function getMaxConcurrentRuns({
  concurrencyPolicy,
  maxConcurrentRuns: limit,
}: ConcurrencySpec): number | undefined {
  switch (concurrencyPolicy) {
    case 'Allow':
      return limit;
    case 'Queue':
      return limit ?? 1;
    case 'Skip':
      return 1;
    case 'Forbid':
    case 'Replace':
      return undefined;
  }
}

type CatchUpSpec = Pick<CronJobSpec, 'concurrencyPolicy' | 'catchUpPolicy' | 'queueLimit' | 'catchUpLimit'>;

/** Returns the maximum number of missed runs that start late, or `undefined` if only the newest missed run starts. */
export function getCatchUpLimit({ concurrencyPolicy, catchUpPolicy, queueLimit, catchUpLimit: limit }: CatchUpSpec) {
  if (concurrencyPolicy === 'Queue') return queueLimit ?? DEFAULT_CATCH_UP_LIMIT;
  return catchUpPolicy === 'All' ? (limit ?? DEFAULT_CATCH_UP_LIMIT) : undefined;
}

/** Whether a run may wait until an active run ends. */
export function canRunWait(spec: ConcurrencySpec): boolean {
  return spec.concurrencyPolicy === 'Forbid' || getMaxConcurrentRuns(spec) !== undefined;
}

/**
 * Returns the field that makes a run wait, with its value, such as `concurrencyPolicy Forbid` or `maxConcurrentRuns 2`.
 */
export function formatWaitRule({ concurrencyPolicy, maxConcurrentRuns: limit }: ConcurrencySpec): string {
  const hasLimit = limit !== undefined && (concurrencyPolicy === 'Allow' || concurrencyPolicy === 'Queue');
  return hasLimit ? `maxConcurrentRuns ${limit}` : `concurrencyPolicy ${concurrencyPolicy}`;
}

/** The reason that the run of a slot waits for active runs. */
export type WaitReason = 'ConcurrencyPolicyForbid' | 'MaxConcurrentRuns';

export function getWaitReason({ concurrencyPolicy }: ConcurrencySpec): WaitReason {
  return concurrencyPolicy === 'Forbid' ? 'ConcurrencyPolicyForbid' : 'MaxConcurrentRuns';
}
