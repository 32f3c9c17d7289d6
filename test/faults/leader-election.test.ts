/** Two managers, and hand-overs of every kind in busy seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leases } from '../support/leases.ts';
import { ApiProxy, noFault } from './support/api-proxy.ts';
import { byPolicy, type Row, saveResults } from './support/results.ts';
import { LEASE, Rig } from './support/rig.ts';
import type { SupervisedManager } from './support/supervised-manager.ts';

const COUNT = 60;
const EVERY_SECONDS = 5;
/** Short, so that there are many. */
const TIMINGS = [
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=400ms',
];
/** In short leases; the others are with those that are the default. */
const HAND_OVERS = Number(process.env['FAULTS_HAND_OVERS'] ?? 40);
const DEFAULT_HAND_OVERS = 4;
const BOUND_MS = 60_000;
/** A standby waits so long at most: the lease of the dead leader, and its own look at it. */
const TAKE_OVER_MS = 60_000;

interface Replica {
  readonly proxy: ApiProxy;
  readonly manager: SupervisedManager;
}

let rig: Rig;
const rows: Row[] = [];
beforeAll(async () => {
  rig = await Rig.open({ count: COUNT, everySeconds: EVERY_SECONDS });
});
afterAll(async () => {
  await saveResults({ suite: 'leader-election', rows });
  await rig[Symbol.asyncDispose]();
});

async function startReplica(flags: readonly string[]): Promise<Replica> {
  const proxy = await ApiProxy.to(rig.connection);
  return { proxy, manager: await rig.startManager({ proxy, flags }) };
}

async function holder(): Promise<string> {
  return (await rig.client.get(leases, LEASE))?.spec?.holderIdentity ?? '';
}

/** Which of them leads, by what it logged. */
async function leaderOf(replicas: readonly Replica[]): Promise<Replica> {
  return await eventually(
    async () => {
      const identity = await holder();
      const leads = ({ manager }: Replica) =>
        manager.current.lines.some((line) => line['msg'] === 'became leader' && line['identity'] === identity);
      const leader = replicas.find(leads);
      if (leader === undefined) throw new Error(`nobody leads; the lease is held by ${JSON.stringify(identity)}`);
      return leader;
    },
    { timeoutMs: TAKE_OVER_MS },
  );
}

/** What ends the leadership of `leader`. Resolves once another may lead, and undoes in `after` what it did. */
interface HandOver {
  readonly fault: string;
  readonly begin: (leader: Replica) => Promise<unknown>;
  readonly after?: (leader: Replica) => Promise<unknown>;
}

const HAND_OVER_KINDS: readonly HandOver[] = [
  { fault: 'leader killed', begin: ({ manager }) => manager.kill() },
  {
    fault: 'leader told to stop',
    begin: async ({ manager }) => {
      const { current } = manager;
      current.signal('SIGTERM');
      await current.exited;
    },
  },
  { fault: 'leader paused beyond its lease, and woken', begin: pause, after: wake },
  {
    fault: 'leader cut off from the server',
    begin: async ({ proxy }) => {
      proxy.isReachable = false;
      proxy.cut();
    },
    after: async ({ proxy }) => {
      proxy.isReachable = true;
    },
  },
];

async function pause({ manager }: Replica): Promise<void> {
  manager.current.signal('SIGSTOP');
}

/** It begins no write: whatever it sends from now on would come through its proxy. */
async function wake({ proxy, manager }: Replica): Promise<void> {
  const { current } = manager;
  const writes: string[] = [];
  // What was sent before it was stopped has arrived long ago.
  proxy.plan = ({ verb, resource, name }) => {
    const isWrite = ['create', 'update', 'patch', 'delete'].includes(verb) && resource !== 'leases';
    if (isWrite && manager.current === current) writes.push(`${verb} ${resource} ${name ?? ''}`);
    return noFault();
  };
  current.signal('SIGCONT');
  await current.exited;
  proxy.plan = noFault;
  expect(writes).toEqual([]);
}

async function handOver({ begin, after }: HandOver, replicas: readonly Replica[]): Promise<void> {
  const leader = await leaderOf(replicas);
  const before = await holder();
  await begin(leader);
  await eventually(async () => expect(['', before]).not.toContain(await holder()), { timeoutMs: TAKE_OVER_MS });
  await after?.(leader);
}

async function isWellThrough(ms: number): Promise<void> {
  const check = async () => expect(await rig.faultsThrough(ms)).toEqual([]);
  await eventually(check, { timeoutMs: BOUND_MS, intervalMs: 500 });
}

test.each([
  { times: HAND_OVERS, what: 'short leases', flags: TIMINGS },
  { times: DEFAULT_HAND_OVERS, what: 'the default leases', flags: [] },
])('$times hand-overs with $what: no slot is lost or doubled', async ({ times, what, flags }) => {
  const replicas = [await startReplica(flags), await startReplica(flags)];
  await using _ = { [Symbol.asyncDispose]: () => stop(replicas) };
  for (let turn = 0; turn < times; turn++) {
    const kind = HAND_OVER_KINDS[turn % HAND_OVER_KINDS.length] as HandOver;
    const before = rig.history.jobs.length;
    await handOver(kind, replicas);
    await rig.runNow(`${what} ${turn}`);
    if (turn % HAND_OVER_KINDS.length === HAND_OVER_KINDS.length - 1) await isWellThrough(Date.now());
    else await sleep(EVERY_SECONDS * 200);
    await rig.history.read();
    note(`${kind.fault}, with ${what}`, rig.history.jobs.slice(before));
  }
  await isWellThrough(Date.now());
});

async function stop(replicas: readonly Replica[]): Promise<void> {
  for (const { manager, proxy } of replicas) {
    await manager[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  }
}

function note(fault: string, jobs: Parameters<typeof byPolicy>[0]): void {
  const index = rows.findIndex((row) => row.fault === fault);
  const known = rows[index];
  const runs = byPolicy(jobs);
  if (known === undefined) rows.push({ fault, times: 1, runs });
  else {
    const sum = Object.entries(runs).map(([policy, count]) => [policy, count + (known.runs[policy] ?? 0)]);
    rows[index] = { fault, times: known.times + 1, runs: { ...known.runs, ...Object.fromEntries(sum) } };
  }
}

test('at last every status says what is true', async () => {
  await rig.startManager();
  await rig.suspend();
  await eventually(async () => expect(await rig.wrongStatuses()).toEqual([]), { intervalMs: 500 });
});
