/** The command line of the manager. {@link MANAGER_PROGRAM} is the source of the parser, of `--help` and of the documentation. */
import { hash } from 'node:crypto';
import {
  bool,
  type FlagTable,
  type FlagValues,
  integer,
  labelSelectorText,
  managerFlags,
  type Program,
  validateLeaseFlags,
} from 'controller-runtime';
import { GROUP } from '../api/v1/groupversion.ts';
import { DEFAULT_MAX_CONCURRENT_RECONCILES } from '../controllers/cronjob-controller.ts';
import { DEFAULT_METRICS_MAX_CRON_JOBS } from '../controllers/cronjob-gauges.ts';
import { VERSION } from './version.ts';

/** The name of the operator, and the prefix of the names of its objects in a cluster. */
export const OPERATOR_NAME = 'cronjob-operator';

const DEFAULT_LEASE_NAME = `cronjob-controller.${GROUP}`;

/** The flags of controller-runtime and the flags of this operator. */
export const FLAGS = {
  ...managerFlags({ name: OPERATOR_NAME, leaderElectionId: DEFAULT_LEASE_NAME }),
  maxConcurrentReconciles: {
    group: 'Work',
    name: 'max-concurrent-reconciles',
    value: 'count',
    default: String(DEFAULT_MAX_CONCURRENT_RECONCILES),
    description:
      'Maximum concurrent reconciles. Reconciles mostly wait for the network, and --max-inflight-requests limits their requests.',
    parse: integer(1, 100_000),
  },
  watchLabelSelector: {
    group: 'Work',
    name: 'watch-label-selector',
    value: 'selector',
    default: '',
    description:
      'Label selector of the CronJobs that this manager runs, such as shard=a. With different selectors, several managers can share the work. An empty selector selects all CronJobs.',
    parse: labelSelectorText,
  },
  convertsV2: {
    group: 'Webhooks',
    name: 'convert-v2',
    value: 'bool',
    default: 'false',
    description: 'Convert CronJobs between v1 and v2. Required if the CRD serves v2, as with config/overlays/v2.',
    parse: bool,
  },
  metricsMaxCronJobs: {
    group: 'Metrics',
    name: 'metrics-max-cronjobs',
    value: 'count',
    default: String(DEFAULT_METRICS_MAX_CRON_JOBS),
    description:
      'Maximum number of CronJobs that have their own metric series, in order of namespace and name. The metric cronjob_metrics_omitted counts the CronJobs beyond the maximum. 0 disables these series.',
    parse: integer(0, 1_000_000),
  },
} as const satisfies FlagTable;

/** The parsed values of the flags. An empty list of namespaces means all namespaces. */
export type Flags = FlagValues<typeof FLAGS>;

/**
 * Adds the hash of the label selector to the default name of the lease. Managers with different selectors need different leases,
 * because only one manager can hold a lease.
 */
export function addSelectorHashToLeaseName(flags: Flags): Flags {
  const { watchLabelSelector: selector, leaderElectionId } = flags;
  if (selector === undefined || leaderElectionId !== DEFAULT_LEASE_NAME) return flags;
  return { ...flags, leaderElectionId: `${DEFAULT_LEASE_NAME}-${hash('sha256', selector).slice(0, 9)}` };
}

/** The API server can present a client certificate to admission webhooks, but not to conversion webhooks. */
function validateConversion({ convertsV2, webhookClientCaFile }: Flags): string | undefined {
  if (!convertsV2 || webhookClientCaFile === undefined) return undefined;
  return `--${FLAGS.convertsV2.name} does not work with --${FLAGS.webhookClientCaFile.name}, because the API server has no client certificate for conversions; remove one of the flags`;
}

export const MANAGER_PROGRAM: Program<typeof FLAGS> = {
  name: 'manager',
  description: 'Runs the controller that creates Jobs from CronJobs.',
  version: VERSION,
  flags: FLAGS,
  validate: (flags) => validateLeaseFlags(flags) ?? validateConversion(flags),
  usage: 'manager schedule <schedule> [options]',
  epilogue: `Commands:
  schedule <schedule>                      Describe a schedule and print its next times, without a cluster.`,
};
