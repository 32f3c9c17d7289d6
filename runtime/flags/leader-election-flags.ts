/** The flags of leader election, and a check for contradictions between them. */
import { DEFAULT_TIMINGS, findTimingFault } from '../leader-election/leader-elector.ts';
import { bool, durationMs, optionalText, text } from './flag-values.ts';
import type { FlagTable, FlagValues } from './flags.ts';

/** `managerFlags` sets the defaults that are names. */
export const LEADER_ELECTION_FLAGS = {
  isLeaderElected: {
    group: 'Leader election',
    name: 'leader-elect',
    value: 'bool',
    default: 'false',
    description: 'Run controllers only while this process holds the lease, so that replicas can stand by.',
    parse: bool,
  },
  leaderElectionNamespace: {
    group: 'Leader election',
    name: 'leader-election-namespace',
    value: 'namespace',
    default: '',
    description: "Namespace of the lease. Inside a cluster, the Pod's own when empty.",
    parse: optionalText,
  },
  leaderElectionId: {
    group: 'Leader election',
    name: 'leader-election-id',
    value: 'name',
    default: '',
    description: 'Name of the lease.',
    parse: text,
  },
  leaseDurationMs: {
    group: 'Leader election',
    name: 'leader-elect-lease-duration',
    value: 'duration',
    default: `${DEFAULT_TIMINGS.leaseDurationMs / 1000}s`,
    description:
      'How long replicas that stand by leave the lease alone after its last renewal: the longest gap when a leader dies.',
    parse: durationMs('more than 0', (ms) => ms > 0),
  },
  renewDeadlineMs: {
    group: 'Leader election',
    name: 'leader-elect-renew-deadline',
    value: 'duration',
    default: `${DEFAULT_TIMINGS.renewDeadlineMs / 1000}s`,
    description: 'A leader that could not renew the lease for so long stops. Less than --leader-elect-lease-duration.',
    parse: durationMs('more than 0', (ms) => ms > 0),
  },
  retryPeriodMs: {
    group: 'Leader election',
    name: 'leader-elect-retry-period',
    value: 'duration',
    default: `${DEFAULT_TIMINGS.retryPeriodMs / 1000}s`,
    description: 'Wait between attempts to get or renew the lease.',
    parse: durationMs('more than 0', (ms) => ms > 0),
  },
} as const satisfies FlagTable;

/** For {@link Program.validate}: returns the contradiction between the times of the lease. */
export function validateLeaseFlags(flags: FlagValues<typeof LEADER_ELECTION_FLAGS>): string | undefined {
  return findTimingFault(flags, (name) => `--${LEADER_ELECTION_FLAGS[name].name}`);
}
