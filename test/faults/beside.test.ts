/** Faults that take minutes, or that stay with one namespace: each has a manager of its own, and all are there at the same time. */
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { Random } from '../simulation/random.ts';
import { clockJumps } from './beside/clock-jumps.ts';
import { slotsOfYears } from './beside/load.ts';
import { unansweredRequests } from './beside/requests.ts';
import { brokenFirstReads, silentWatches } from './beside/watches.ts';
import { dryRunsThatHang, hangingWebhooks } from './beside/webhooks.ts';
import { type Row, saveResults } from './support/results.ts';
import { Rig } from './support/rig.ts';
import { SEED } from './support/seed.ts';
import { EVERY_SECONDS } from './support/tenant.ts';

let rig: Rig;
const rows: Row[] = [];
beforeAll(async () => {
  console.info(`FAULTS_SEED=${SEED}`);
  rig = await Rig.open({ count: 0, everySeconds: EVERY_SECONDS });
});
afterAll(async () => {
  await saveResults({ suite: 'beside', rows });
  await rig[Symbol.asyncDispose]();
});

describe.concurrent('nothing is lost, doubled, or stays idle', () => {
  test.each<readonly [when: string, scenario: () => Promise<Row | readonly Row[]>]>([
    ['watches fall silent and stay open', () => silentWatches(rig)],
    ['the first read of everything breaks, and deletes are missed', () => brokenFirstReads(rig, new Random(SEED))],
    ['requests are never answered', () => unansweredRequests(rig, new Random(SEED))],
    ['the clock jumps', () => clockJumps(rig)],
    ['webhooks of others do not answer', () => hangingWebhooks(rig)],
    ['dry runs of our webhooks are not answered', () => dryRunsThatHang(rig)],
    ['years of slots are due, or the next slot is years ahead', () => slotsOfYears(rig)],
  ])('when %s', async (_, scenario) => void rows.push(...[await scenario()].flat()));
});

test('at last every status says what is true', async () => {
  const all = await rig.client.list(cronJobs, {});
  const namespaces = [...new Set(all.map(({ metadata }) => metadata.namespace))];
  await Promise.all(namespaces.map((namespace) => rig.suspend(namespace)));
  for (const namespace of namespaces) {
    await eventually(async () => expect(await rig.wrongStatuses(namespace)).toEqual([]), { intervalMs: 500 });
  }
});
