/** The API server, its storage and the way to it fail in every way that they have, while runs are due. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../simulation/random.ts';
import type { Fault } from './support/api-proxy.ts';
import { type Call, kindOfCall } from './support/call.ts';
import type { OpenWatch } from './support/open-watch.ts';
import { byPolicy, type Row, saveResults } from './support/results.ts';
import { Rig } from './support/rig.ts';
import { SEED } from './support/seed.ts';
import type { SupervisedManager } from './support/supervised-manager.ts';

const COUNT = 60;
const EVERY_SECONDS = 5;
/** How long each fault lasts. */
const LASTS_MS = 15_000;
/** From the end of a fault until nothing is missing: the longest back-off that it can have led to, and a slot. */
const BOUND_MS = 60_000;
/** Of all CronJobs together, in each second: each call of each run six times. A loop without back-off makes thousands. */
const MAX_REQUESTS_PER_SECOND = (6 * 6 * COUNT) / EVERY_SECONDS;

let rig: Rig;
let manager: SupervisedManager;
const rows: Row[] = [];
beforeAll(async () => {
  console.info(`FAULTS_SEED=${SEED}`);
  rig = await Rig.open({ count: COUNT, everySeconds: EVERY_SECONDS });
  manager = await rig.startManager();
});
afterAll(async () => {
  await saveResults({ suite: 'api-server', rows });
  await rig[Symbol.asyncDispose]();
});

const random = new Random(SEED);
const NONE: Fault = { kind: 'None' };

interface Scenario {
  readonly fault: string;
  /** Begins the fault. */
  readonly begin: () => unknown;
  /** Default: nothing is done to requests any more. */
  readonly end?: () => unknown;
}

/** Some of the calls meet the fault. */
function some(part: number, fault: Fault, isMeant: (call: Call) => boolean = () => true): () => void {
  return () => {
    rig.proxy.plan = (call) => (isMeant(call) && random.next() < part ? fault : NONE);
  };
}

const isStatus = (call: Call) => kindOfCall(call) === 'update cronjobs/status';
const isWrite = ({ verb, resource }: Call) =>
  ['create', 'update', 'patch', 'delete'].includes(verb) && resource !== 'leases';
const isNoLease = ({ resource }: Call) => resource !== 'leases';
const answer = (at: 'before' | 'after', code: number, reason: string, retryAfterSeconds?: number): Fault => ({
  kind: 'Answer',
  at,
  code,
  reason,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

const SCENARIOS: readonly Scenario[] = [
  {
    fault: 'connection reset before the request arrives, half of all',
    begin: some(0.5, { kind: 'Reset', at: 'before' }),
  },
  { fault: 'connection reset after it was carried out, half of all', begin: some(0.5, { kind: 'Reset', at: 'after' }) },
  { fault: 'answer cut in the middle, half of all', begin: some(0.5, { kind: 'Truncate' }) },
  { fault: 'every request 1.5 s late', begin: some(1, { kind: 'Delay', at: 'before', ms: 1500 }) },
  { fault: 'every answer 1.5 s late', begin: some(1, { kind: 'Delay', at: 'after', ms: 1500 }) },
  { fault: '429 with Retry-After 2 s', begin: some(1, answer('before', 429, 'TooManyRequests', 2), isNoLease) },
  { fault: '500, half of all', begin: some(0.5, answer('before', 500, 'InternalError')) },
  { fault: '503 with Retry-After 1 s', begin: some(1, answer('before', 503, 'ServiceUnavailable', 1), isNoLease) },
  { fault: '504 after a write took effect', begin: some(1, answer('after', 504, 'Timeout'), isWrite) },
  { fault: '409 on every status', begin: some(1, answer('before', 409, 'Conflict'), isStatus) },
  { fault: 'writes hang before they arrive', begin: some(1, { kind: 'Hang', at: 'before' }, isWrite), end: cut },
  { fault: 'writes hang after they took effect', begin: some(1, { kind: 'Hang', at: 'after' }, isWrite), end: cut },
  { fault: 'watches silent', begin: () => each((watch) => watch.hold()), end: () => each((watch) => watch.release()) },
  { fault: 'watches late by 3 s', begin: () => void late(), end: () => {} },
  { fault: 'watches cut in the middle of an event', begin: () => void cutWatches(), end: () => {} },
  { fault: 'watches expired (410)', begin: () => each((watch) => watch.expire()) },
  { fault: 'server out of reach', begin: () => reachable(false), end: () => reachable(true) },
  { fault: 'API server killed and restarted', begin: () => rig.controlPlane.restartApiServer(rig.connection) },
  {
    fault: 'etcd stopped (SIGSTOP)',
    begin: () => rig.controlPlane.etcd.signal('SIGSTOP'),
    end: () => rig.controlPlane.etcd.signal('SIGCONT'),
  },
];

function each(change: (watch: OpenWatch) => void): void {
  for (const watch of [...rig.proxy.watches]) change(watch);
}

/** Whoever waits for an answer that never comes would wait for a minute more. */
function cut(): void {
  rig.proxy.cut();
}

function reachable(isReachable: boolean): void {
  rig.proxy.isReachable = isReachable;
  if (!isReachable) rig.proxy.cut();
}

async function late(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    each((watch) => watch.hold());
    await sleep(3000);
    each((watch) => watch.release());
  }
}

async function cutWatches(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    each((watch) => watch.hold());
    await sleep(4000);
    each((watch) => watch.cut());
  }
}

async function isWellThrough(ms: number): Promise<void> {
  const check = async () => expect(await rig.faultsThrough(ms)).toEqual([]);
  await eventually(check, { timeoutMs: BOUND_MS, intervalMs: 500 });
}

test('without a fault every slot runs once', async () => {
  await sleep(3 * EVERY_SECONDS * 1000);
  await isWellThrough(Date.now());
  expect(manager.starts).toBe(1);
});

test.each(SCENARIOS)('$fault: nothing is lost or doubled, and nothing loops', async ({ fault, begin, end }) => {
  const before = rig.history.jobs.length;
  const requests = rig.proxy.requests;
  const startedMs = Date.now();
  await begin();
  await sleep(Math.max(0, startedMs + LASTS_MS - Date.now()));
  const requestsPerSecond = Math.round(((rig.proxy.requests - requests) * 1000) / (Date.now() - startedMs));
  rig.proxy.plan = () => NONE;
  await end?.();
  const endedMs = Date.now();
  await isWellThrough(endedMs);
  const recoveredAfterSeconds = Math.round((Date.now() - endedMs) / 100) / 10;
  rows.push({
    fault,
    times: 1,
    runs: byPolicy(rig.history.jobs.slice(before)),
    recoveredAfterSeconds,
    requestsPerSecond,
  });
  expect(requestsPerSecond).toBeLessThan(MAX_REQUESTS_PER_SECOND);
});

test('at last every status says what is true', async () => {
  await rig.suspend();
  await eventually(async () => expect(await rig.wrongStatuses()).toEqual([]), { intervalMs: 500 });
  console.info(JSON.stringify(rows, undefined, 1));
});
