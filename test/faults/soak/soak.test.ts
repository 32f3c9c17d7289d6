/** One manager for minutes under random faults: no run is lost, and no figure grows. SOAK_MINUTES sets the duration. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Random } from '../../simulation/random.ts';
import { noFault } from '../support/api-proxy.ts';
import { countByPolicy, type FaultResultRow, saveResults } from '../support/results.ts';
import { LONG_LEASE, Rig } from '../support/rig.ts';
import { createScenarios, type FaultScenario } from '../support/scenarios.ts';
import { SEED } from '../support/seed.ts';
import type { Trend } from '../support/trend.ts';
import { CALLS, Figures, HANDLES } from './figures.ts';

const MINUTES = parseMinutes(process.env['SOAK_MINUTES'] || '10');
const COUNT = 500;
/** Half of the time that an idle connection stays open: no connection is closed and opened again. */
const EVERY_SECONDS = 30;
/** Small, so that the lists of the statuses are soon full. */
const RECENT_RUNS_LIMIT = 3;
/**
 * Faults per minute, at random times, one after another. The rest of each minute is calm, and the figures are about that part: a fault
 * causes retries.
 */
const FAULTS_PER_MINUTE = 2;
const FAULT_MS = 5_000;
const REST_MS = 5_000;
const BOUND_MS = 120_000;
/** All figures grow while caches fill and code is compiled. */
const WARM_UP = 0.3;
const MINUTE_SECONDS = 60;
const SPAN_SECONDS = MINUTE_SECONDS * Math.ceil(MINUTES / 15);
/**
 * Growth as a share of the mean, from the first span after the warm-up to the last. The number of calls grows with the number of retries,
 * which is random.
 */
const MAX_GROWTH = 0.2;
const MAX_GROWTH_OF_CALLS = 0.5;
/** A smaller growth of connections in use, or of servers, is random: there are about five at a time. */
const MIN_GROWTH_OF_HANDLES = 5;
/** Few connections, so that each burst opens all of them: with more, the number of open connections is random. */
const CONNECTIONS = 16;
/** The heap size is then the memory in use, without uncollected garbage. */
const COLLECTED_GARBAGE = new URL('./collected-garbage.ts', import.meta.url).href;

function parseMinutes(text: string): number {
  const value = Number(text);
  if (!(value >= 6 && value <= 24 * 60)) throw new TypeError(`SOAK_MINUTES must be from 6 to 1440, not "${text}"`);
  return value;
}

test(`for ${MINUTES} minutes of random faults no run is lost or doubled, and no figure grows`, async () => {
  console.info(`FAULTS_SEED=${SEED}`);
  const random = new Random(SEED);
  await using rig = await Rig.open({ count: COUNT, everySeconds: EVERY_SECONDS, recentRunsLimit: RECENT_RUNS_LIMIT });
  const flags = [
    ...LONG_LEASE,
    `--max-inflight-requests=${CONNECTIONS}`,
    '--metrics-bind-address=127.0.0.1:0',
    '--metrics-secure=false',
  ];
  const environment = { NODE_OPTIONS: `--import=${COLLECTED_GARBAGE}` };
  const manager = await rig.startManager({ flags, environment });
  const { port } = await manager.current.waitForLog('listening', { server: 'metrics' });
  const scenarios = createScenarios(() => rig, random);
  const faults = new Map<string, number>();
  const startedMs = Date.now();
  const isOver = new AbortController();
  const figures = new Figures();
  const watching = figures.watch(`http://127.0.0.1:${port}/metrics`, isOver.signal);
  watching.catch(() => {}); // awaited below, unless something else fails before
  const begin = async ({ fault, begin: breaks, end: finish }: FaultScenario) => {
    console.info(`${Math.round((Date.now() - startedMs) / 1000)} s: ${fault}`);
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    await breaks();
    await sleep(FAULT_MS);
    rig.proxy.plan = noFault;
    await finish?.();
    await sleep(REST_MS);
  };
  for (let minute = 0; minute < MINUTES; minute++) {
    await sleep(random.int(0, (60_000 - FAULTS_PER_MINUTE * (FAULT_MS + REST_MS)) / 2));
    for (let fault = 0; fault < FAULTS_PER_MINUTE; fault++) await begin(random.pick(scenarios));
    await sleep(Math.max(0, startedMs + (minute + 1) * 60_000 - Date.now()));
    // All slots older than two minutes must be complete, whatever fails now.
    expect(await rig.findFaultsThrough(Date.now() - BOUND_MS)).toEqual([]);
    figures.count(rig.history, MINUTE_SECONDS);
  }
  isOver.abort();
  await watching;
  const endedMs = Date.now();
  await rig.waitUntilWellThrough(endedMs, { boundMs: BOUND_MS });
  expect(manager.ends).toEqual([]);

  const trends = figures.trends(WARM_UP * MINUTES * 60, SPAN_SECONDS);
  for (const { name, first, last, growth } of trends) {
    console.info(`${name}: from ${first.toFixed(1)} to ${last.toFixed(1)}, ${(100 * growth).toFixed(1)} %`);
  }
  const rows = [...faults].map(([fault, times]): FaultResultRow => ({ fault, times, runs: {} }));
  const all: FaultResultRow = { fault: `all, for ${MINUTES} minutes`, times: 1, runs: countByPolicy(rig.history.jobs) };
  await saveResults({ suite: 'soak', rows: [...rows, all], figures: trends });
  expect(trends.filter(isGrowing)).toEqual([]);
  await rig.expectCorrectStatuses();
});

function isGrowing({ name, first, last, growth }: Trend & { readonly name: string }): boolean {
  if (name === HANDLES && last - first < MIN_GROWTH_OF_HANDLES) return false;
  return growth > (name === CALLS ? MAX_GROWTH_OF_CALLS : MAX_GROWTH);
}
