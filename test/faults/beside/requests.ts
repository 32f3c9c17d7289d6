import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../simulation/random.ts';
import { noFault, type ProxyFault } from '../support/api-proxy.ts';
import type { FaultResultRow } from '../support/results.ts';
import type { Rig } from '../support/rig.ts';
import { Tenant } from '../support/tenant.ts';

const FAULT_DURATION_MS = 15_000;
const HANG_PROBABILITY = 1 / 3;
const HANG: ProxyFault = { kind: 'Hang', at: 'before' };

/** For a while the server accepts a third of all requests and never answers them, and their connections stay open. */
export async function testUnansweredRequests(rig: Rig, random: Random): Promise<readonly FaultResultRow[]> {
  const tenant = await Tenant.open(rig, 'unanswered-requests');
  await tenant.startManager();
  await tenant.waitForRunsAfter(Date.now());
  const startedMs = Date.now();
  tenant.proxy.plan = ({ verb, resource }) =>
    resource !== 'leases' && verb !== 'watch' && random.chance(HANG_PROBABILITY) ? HANG : noFault();
  await sleep(FAULT_DURATION_MS);
  tenant.proxy.plan = noFault;
  const endedMs = Date.now();
  await tenant.waitUntilWellAfter(endedMs);
  return [tenant.createRow('a third of the requests never answered', { startedMs, endedMs })];
}
