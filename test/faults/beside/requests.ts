import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../simulation/random.ts';
import { type Fault, noFault } from '../support/api-proxy.ts';
import type { Row } from '../support/results.ts';
import type { Rig } from '../support/rig.ts';
import { Tenant } from '../support/tenant.ts';

const LASTS_MS = 15_000;
const PART = 1 / 3;
const HANG: Fault = { kind: 'Hang', at: 'before' };

/** For a while the server accepts a third of all requests and never answers them, and their connections stay open. */
export async function unansweredRequests(rig: Rig, random: Random): Promise<readonly Row[]> {
  const tenant = await Tenant.open(rig, 'unanswered-requests');
  await tenant.startManager();
  await tenant.runsAfter(Date.now());
  const beganMs = Date.now();
  tenant.proxy.plan = ({ verb, resource }) =>
    resource !== 'leases' && verb !== 'watch' && random.chance(PART) ? HANG : noFault();
  await sleep(LASTS_MS);
  tenant.proxy.plan = noFault;
  const endedMs = Date.now();
  await tenant.isWellAfter(endedMs);
  return [tenant.row('requests never answered, a third of all', { beganMs, endedMs })];
}
