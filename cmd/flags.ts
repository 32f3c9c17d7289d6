/** The manager's command line. {@link MANAGER} is the single source for parsing, `--help` and the documentation. */
import { hash } from 'node:crypto';
import {
  type FlagTable,
  type FlagValues,
  integer,
  labelSelector,
  managerFlags,
  type Program,
  validateLeaseFlags,
} from 'controller-runtime';
import { GROUP } from '../api/v1/groupversion.ts';
import { DEFAULT_MAX_CONCURRENT_RECONCILES } from '../controllers/cronjob-controller.ts';
import { DEFAULT_METRICS_MAX_CRON_JOBS } from '../controllers/cronjob-gauges.ts';
import { VERSION } from './version.ts';

/** The name of the operator: the prefix of all its objects in a cluster. */
export const OPERATOR = 'cronjob-operator';

const LEASE = `cronjob-controller.${GROUP}`;

/** All flags: the flags of every manager and the flags of this operator. */
export const FLAGS = {
  ...managerFlags({ name: OPERATOR, leaderElectionId: LEASE }),
  maxConcurrentReconciles: {
    group: 'Work',
    name: 'max-concurrent-reconciles',
    value: 'count',
    default: String(DEFAULT_MAX_CONCURRENT_RECONCILES),
    description:
      'Maximum concurrent reconciles. They mostly wait for the network, and --max-inflight-requests limits their requests.',
    parse: integer(1, 100_000),
  },
  watchLabelSelector: {
    group: 'Work',
    name: 'watch-label-selector',
    value: 'selector',
    default: '',
    description:
      'Label selector of the CronJobs that this manager runs, such as shard=a, so that several managers share the work. All of them when empty.',
    parse: labelSelector,
  },
  metricsMaxCronJobs: {
    group: 'Metrics',
    name: 'metrics-max-cronjobs',
    value: 'count',
    default: String(DEFAULT_METRICS_MAX_CRON_JOBS),
    description:
      'Maximum number of CronJobs with their own series, in order of namespace and name. The metric cronjob_metrics_omitted counts the others. 0 for none.',
    parse: integer(0, 1_000_000),
  },
} as const satisfies FlagTable;

/** The values of the flags. Paths and names without a value are `undefined`; an empty list of namespaces means all namespaces. */
export type Flags = FlagValues<typeof FLAGS>;

/**
 * Gives each share of the CronJobs a lease with the hash of its selector in the name, unless the user chose a name. Managers that
 * compete for one lease would leave all shares but one without a leader.
 */
export function withShareLease(flags: Flags): Flags {
  const { watchLabelSelector: selector, leaderElectionId } = flags;
  if (selector === undefined || leaderElectionId !== LEASE) return flags;
  return { ...flags, leaderElectionId: `${LEASE}-${hash('sha256', selector).slice(0, 9)}` };
}

/** The program, as `--help` describes it. */
export const MANAGER: Program<typeof FLAGS> = {
  name: 'manager',
  description: 'Runs the controller that creates Jobs from CronJobs.',
  version: VERSION,
  flags: FLAGS,
  validate: validateLeaseFlags,
  usage: 'manager schedule <schedule> [options]',
  epilogue: `Commands:
  schedule <schedule>                      Print what a schedule means and when it runs next. Needs no cluster.`,
};
