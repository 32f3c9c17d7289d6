import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../simulation/random.ts';
import { type Fault, noFault } from '../support/api-proxy.ts';
import type { Row } from '../support/results.ts';
import type { Rig } from '../support/rig.ts';
import { Tenant } from '../support/tenant.ts';

const LASTS_MS = 15_000;
/** runtime/client/transport.ts gives up after 65 s; a back-off, and two slots. */
const BOUND_MS = 150_000;
const PART = 1 / 3;
const HANG: Fault = { kind: 'Hang', at: 'before' };

/** For a while a third of all requests is taken and never answered, and nobody closes their connections. */
export async function unansweredRequests(rig: Rig, random: Random): Promise<Row> {
  const tenant = await Tenant.open(rig, { namespace: 'unanswered-requests' });
  await tenant.startManager();
  await tenant.runsAfter(Date.now(), BOUND_MS);
  const beganMs = Date.now();
  tenant.proxy.plan = ({ verb, resource }) =>
    resource !== 'leases' && verb !== 'watch' && random.chance(PART) ? HANG : noFault();
  await sleep(LASTS_MS);
  tenant.proxy.plan = noFault;
  const endedMs = Date.now();
  await tenant.runsAfter(endedMs, BOUND_MS);
  await tenant.isWellThrough(endedMs, BOUND_MS);
  return tenant.row('requests never answered, a third of all', { beganMs, endedMs });
}
