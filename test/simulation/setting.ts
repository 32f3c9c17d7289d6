import type { Clock } from '../../runtime/clock/clock.ts';
import type { Faults } from './faults.ts';
import type { Journal } from './journal.ts';
import type { FaultKind } from './limits.ts';
import type { Network } from './network.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

/** The parts of a year share this. */
export interface Setting {
  readonly world: SimulatedCluster;
  readonly clock: Clock;
  readonly network: Network;
  readonly faults: Faults;
  readonly journal: Journal;
  /** The simulated kinds of faults. */
  readonly faultKinds: readonly FaultKind[];
}
