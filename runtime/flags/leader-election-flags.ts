import { DEFAULT_TIMINGS, validateTimings } from '../leader-election/leader-elector.ts';
import { bool, durationMs, optionalText, text } from './flag-values.ts';
import type { FlagTable, FlagValues } from './flags.ts';

/** The flags of leader election. The function `managerFlags` sets the default of `leaderElectionId`. */
export const LEADER_ELECTION_FLAGS = {
  isLeaderElected: {
    group: 'Leader election',
    name: 'leader-elect',
    value: 'bool',
    default: 'false',
    description: 'Run controllers only while this process holds the lease, so that other replicas can stand by.',
    parse: bool,
  },
  leaderElectionNamespace: {
    group: 'Leader election',
    name: 'leader-election-namespace',
    value: 'namespace',
    default: '',
    description: "Namespace of the lease. If empty, the manager uses the Pod's namespace.",
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
      'How long a standby replica waits after the last renewal before it acquires the lease. If the leader crashes, no replica leads for up to this time.',
    parse: durationMs('more than 0', (ms) => ms > 0),
  },
  renewDeadlineMs: {
    group: 'Leader election',
    name: 'leader-elect-renew-deadline',
    value: 'duration',
    default: `${DEFAULT_TIMINGS.renewDeadlineMs / 1000}s`,
    description:
      'How long the leader retries a failed renewal of the lease before it stops. Must be less than --leader-elect-lease-duration.',
    parse: durationMs('more than 0', (ms) => ms > 0),
  },
  retryPeriodMs: {
    group: 'Leader election',
    name: 'leader-elect-retry-period',
    value: 'duration',
    default: `${DEFAULT_TIMINGS.retryPeriodMs / 1000}s`,
    description: 'Interval between attempts to acquire or renew the lease.',
    parse: durationMs('more than 0', (ms) => ms > 0),
  },
} as const satisfies FlagTable;

/** Returns an error message if the durations of the lease are contradictory. For {@link Program.validate}. */
export function validateLeaseFlags(flags: FlagValues<typeof LEADER_ELECTION_FLAGS>): string | undefined {
  return validateTimings(flags, (name) => `--${LEADER_ELECTION_FLAGS[name].name}`);
}
