/** The API server, its storage and the connection to it fail in every known way while runs are due. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { Random } from '../simulation/random.ts';
import { noFault } from './support/api-proxy.ts';
import { chooseExtent } from './support/extent.ts';
import { createFileRig } from './support/file-rig.ts';
import { countByPolicy } from './support/results.ts';
import { LONG_LEASE } from './support/rig.ts';
import { createScenarios } from './support/scenarios.ts';
import { SEED } from './support/seed.ts';
import type { SupervisedManager } from './support/supervised-manager.ts';

const COUNT = 60;
const EVERY_SECONDS = 5;
/** How long each fault lasts. */
const FAULT_DURATION_MS = chooseExtent({ all: 15_000, fast: 6_000 });
/** Drawn again in each fast run; the seed identifies them. */
const FAST_SCENARIOS = 8;
/** Requests for all CronJobs together, per second: six times each call of each run. A loop without back-off makes thousands. */
const MAX_REQUESTS_PER_SECOND = (6 * 6 * COUNT) / EVERY_SECONDS;
/** Number of CronJobs with repeated requests before a Retry-After is over. A client that does not wait repeats requests for all of them. */
const MAX_EARLY_RETRIES = COUNT / 10;

const scene = createFileRig('api-server', { count: COUNT, everySeconds: EVERY_SECONDS });
let manager: SupervisedManager;
beforeAll(async () => {
  manager = await scene.rig.startManager({ flags: LONG_LEASE });
});

test('without a fault every slot runs once', async () => {
  await sleep(3 * EVERY_SECONDS * 1000);
  await scene.rig.waitUntilWellThrough(Date.now());
  expect(manager.ends).toEqual([]);
});

const random = new Random(SEED);
const scenarios = createScenarios(() => scene.rig, random);

test.each(chooseExtent({ all: scenarios, fast: shuffle(scenarios, random).slice(0, FAST_SCENARIOS) }))(
  '$fault: no slot is lost or doubled, and no request loops',
  async ({ fault, begin, end }) => {
    const { rig, rows } = scene;
    const before = rig.history.jobs.length;
    const requests = rig.proxy.requests;
    const startedMs = Date.now();
    await begin();
    await sleep(Math.max(0, startedMs + FAULT_DURATION_MS - Date.now()));
    const requestsPerSecond = Math.round(((rig.proxy.requests - requests) * 1000) / (Date.now() - startedMs));
    rig.proxy.plan = noFault;
    await end?.();
    const endedMs = Date.now();
    await rig.waitUntilWellThrough(endedMs);
    const recoveredAfterSeconds = Math.round((Date.now() - endedMs) / 100) / 10;
    rows.push({
      fault,
      times: 1,
      runs: countByPolicy(rig.history.jobs.slice(before)),
      recoveredAfterSeconds,
      requestsPerSecond,
    });
    expect(rig.proxy.retryAfterMonitor.earlyRetries.size).toBeLessThan(MAX_EARLY_RETRIES);
    expect(requestsPerSecond).toBeLessThan(MAX_REQUESTS_PER_SECOND);
  },
);

test('every status is correct at the end, of a manager that survived every fault', async () => {
  await scene.rig.expectCorrectStatuses();
  expect(manager.ends).toEqual([]);
});

function shuffle<T>(list: readonly T[], random: Random): readonly T[] {
  return list
    .map((item) => ({ item, place: random.next() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item);
}
