import type { Clock } from '../../runtime/clock/clock.ts';
import type { SimulatedFaults } from './faults.ts';
import type { Journal } from './journal.ts';
import type { FaultKind } from './limits.ts';
import type { SimulatedNetwork } from './network.ts';
import type { RequestStorage } from './request-storage.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

/** The parts of a year share this. */
export interface Setting {
  readonly world: SimulatedCluster;
  /** The CronJobRuns. */
  readonly requests: RequestStorage;
  readonly clock: Clock;
  readonly network: SimulatedNetwork;
  readonly faults: SimulatedFaults;
  readonly journal: Journal;
  /** The simulated kinds of faults. */
  readonly faultKinds: readonly FaultKind[];
}
