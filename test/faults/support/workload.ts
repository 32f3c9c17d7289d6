/** CronJobs of every policy. Their Jobs end at once, late or never in time, and some of them fail. */
import type { NewObject } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../../api/v1/groupversion.ts';
import { FAILS, RUNS_SECONDS } from './job-finisher.ts';

const POLICIES = ['Allow', 'Forbid', 'Replace'] as const;
/** Duration of Jobs, as a share of the time between two slots. */
const LENGTHS = [0, 0.2, 1.5] as const;
export interface WorkloadOptions {
  readonly namespace: string;
  readonly count: number;
  /** Seconds between two slots of a CronJob. */
  readonly everySeconds: number;
  /** Limit of recent runs in each status. Default 50: more than a suite can make one CronJob skip in different ways between two looks. */
  readonly recentRunsLimit?: number | undefined;
}

export function createWorkload({
  namespace,
  count,
  everySeconds,
  recentRunsLimit = 50,
}: WorkloadOptions): readonly NewObject<CronJob>[] {
  return Array.from({ length: count }, (_, index) => {
    const policy = POLICIES[index % POLICIES.length];
    const length = LENGTHS[Math.floor(index / POLICIES.length) % LENGTHS.length] ?? 0;
    const isFailing = index % 7 === 0;
    const historyLimit = index % 2;
    const annotations = {
      [RUNS_SECONDS]: String(Math.round(length * everySeconds)),
      ...(isFailing && { [FAILS]: 'yes' }),
    };
    const manifest = {
      apiVersion: API_VERSION,
      kind: KIND,
      metadata: { name: `${policy?.toLowerCase()}-${index}`, namespace },
      spec: {
        schedule: `@every ${everySeconds}s`,
        concurrencyPolicy: policy,
        recentRunsLimit,
        successfulJobsHistoryLimit: historyLimit,
        failedJobsHistoryLimit: historyLimit,
        jobTemplate: {
          metadata: { annotations },
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'run', image: 'busybox' }] } } },
        },
      },
    };
    return manifest as object as NewObject<CronJob>; // the server fills in the rest
  });
}
