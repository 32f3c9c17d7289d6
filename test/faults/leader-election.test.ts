/** Two managers and three, and hand-overs of every kind in busy seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leases } from '../support/leases.ts';
import { ApiProxy, noFault } from './support/api-proxy.ts';
import type { Call } from './support/call.ts';
import { extent } from './support/extent.ts';
import { byPolicy, type Row, saveResults } from './support/results.ts';
import { LEASE, Rig } from './support/rig.ts';
import { SetClock } from './support/set-clock.ts';
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
const HAND_OVERS = Number(process.env['FAULTS_HAND_OVERS'] ?? extent({ all: 95, fast: 6 }));
const DEFAULT_HAND_OVERS = extent({ all: 5, fast: 1 });
/** How far in its burst a leader is stopped is chance, and where it would go on from there: one of them shows little. */
const PAUSES = extent({ all: 12, fast: 2 });
const HAND_OVERS_OF_THREE = 4;
/** Ahead of the machine's clock: those of two of the three are a minute apart. */
const OFFSETS_MS = [-30_000, 0, 30_000] as const;
/** Two leases of {@link TIMINGS}. */
const PEACE_MS = 6000;
const BOUND_MS = 60_000;
/** A standby waits so long at most: the lease of the dead leader, and its own look at it. */
const TAKE_OVER_MS = 60_000;
/** A leader that has lost ends within so long, whatever its requests do. Those that hang would wait for half a minute. */
const END_MS = 10_000;

interface Replica {
  readonly proxy: ApiProxy;
  readonly manager: SupervisedManager;
  readonly clock: SetClock;
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

async function startReplica(flags: readonly string[], offsetMs = 0): Promise<Replica> {
  const proxy = await ApiProxy.to(rig.connection);
  const clock = new SetClock(rig.folder, offsetMs);
  const { environment } = clock;
  return { proxy, clock, manager: await rig.startManager({ proxy, flags, environment }) };
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

/** What ends the leadership of a leader. Resolves to what undoes it, once another one leads. */
interface HandOver {
  readonly fault: string;
  readonly begin: (leader: Replica, standby: Replica) => Promise<Undo | undefined>;
}

type Undo = () => Promise<unknown>;

const KILLED: HandOver = { fault: 'leader killed', begin: async ({ manager }) => void (await manager.kill()) };
const STOPPED: HandOver = {
  fault: 'leader told to stop',
  begin: async ({ manager: { current } }) => {
    current.signal('SIGTERM');
    await current.exited;
    return undefined;
  },
};
const PAUSED: HandOver = {
  fault: 'leader paused in a burst beyond its lease, and woken',
  begin: async (leader) => {
    await pauseInBurst(leader);
    return () => wake(leader);
  },
};
const CUT_OFF: HandOver = {
  fault: 'leader cut off from the server',
  begin: async ({ proxy }) => {
    proxy.isReachable = false;
    proxy.cut();
    return async () => {
      proxy.isReachable = true;
    };
  },
};
const NOT_RENEWED: HandOver = {
  fault: 'leader cut off from its lease alone',
  begin: async ({ proxy, manager: { current } }) => {
    proxy.plan = ({ resource }) => (resource === 'leases' ? { kind: 'Hang', at: 'before' } : noFault());
    return async () => {
      await hasEnded(current);
      proxy.plan = noFault;
    };
  },
};
const TAKEN: HandOver = {
  fault: 'lease taken while the writes of the leader hang',
  begin: async ({ proxy, manager: { current } }) => {
    let hanging = 0;
    proxy.plan = (call) => {
      if (!isWrite(call)) return noFault();
      hanging++;
      return { kind: 'Hang', at: 'before' };
    };
    await eventually(() => expect(hanging).toBeGreaterThan(0));
    await takeLease();
    await hasEnded(current);
    proxy.plan = noFault;
    return undefined;
  },
};
const HAND_OVER_KINDS: readonly HandOver[] = [KILLED, STOPPED, PAUSED, CUT_OFF, TAKEN, NOT_RENEWED];
/** Hand-overs from one look at all that ran to the next. */
const ALL_THROUGH_EVERY = HAND_OVER_KINDS.length;
const KINDS_OF_THREE: readonly HandOver[] = [
  {
    fault: 'leader and a standby killed',
    begin: async (leader, standby) => {
      await Promise.all([leader.manager.kill(), standby.manager.kill()]);
      return undefined;
    },
  },
  {
    fault: 'leader and a standby paused, and woken',
    begin: async (leader, standby) => {
      for (const { manager } of [leader, standby]) manager.current.signal('SIGSTOP');
      return async () => {
        standby.manager.current.signal('SIGCONT');
        await wake(leader);
      };
    },
  },
  STOPPED,
  CUT_OFF,
];

function isWrite({ verb, resource }: Call): boolean {
  return ['create', 'update', 'patch', 'delete'].includes(verb) && resource !== 'leases';
}

async function hasEnded({ exited }: SupervisedManager['current']): Promise<void> {
  const late = sleep(END_MS, 'late');
  expect(await Promise.race([exited, late])).not.toBe('late');
}

/** Stops it while it has most of a burst before it, which it would go on with when it is woken. */
async function pauseInBurst({ proxy, manager: { current } }: Replica): Promise<void> {
  const { promise: paused, resolve } = Promise.withResolvers<void>();
  proxy.plan = ({ verb, resource }) => {
    if (verb === 'create' && resource === 'jobs') {
      current.signal('SIGSTOP');
      resolve();
    }
    return noFault();
  };
  await paused;
  proxy.plan = noFault;
}

/**
 * It begins no write: whatever it sends from now on would come through its proxy. One may be under way: a process is stopped between any two of
 * its instructions, also between its look at the lease and the write to the connection.
 */
async function wake({ proxy, manager }: Replica): Promise<void> {
  const { current } = manager;
  const writes: string[] = [];
  // What was sent before it was stopped has arrived long ago.
  proxy.plan = (call) => {
    if (isWrite(call) && manager.current === current) writes.push(`${call.verb} ${call.resource} ${call.name ?? ''}`);
    return noFault();
  };
  current.signal('SIGCONT');
  await current.exited;
  proxy.plan = noFault;
  expect(writes.slice(1)).toEqual([]);
}

/** Somebody writes another holder into the lease, who does not renew it. */
async function takeLease(): Promise<void> {
  await eventually(async () => {
    const lease = await rig.client.get(leases, LEASE);
    if (lease === undefined) throw new Error('there is no lease');
    const spec = { ...lease.spec, holderIdentity: 'somebody-else', leaseDurationSeconds: 1 };
    await rig.client.update(leases, { ...lease, spec });
  });
}

async function handOver({ begin }: HandOver, replicas: readonly Replica[]): Promise<void> {
  const leader = await leaderOf(replicas);
  const standby = replicas.find((replica) => replica !== leader);
  if (standby === undefined) throw new Error('nobody stands by');
  const before = await holder();
  const undo = await begin(leader, standby);
  await eventually(async () => expect(['', before]).not.toContain(await holder()), { timeoutMs: TAKE_OVER_MS });
  await undo?.();
}

async function isWellThrough(ms: number): Promise<void> {
  const check = async () => expect(await rig.faultsThrough(ms)).toEqual([]);
  await eventually(check, { timeoutMs: BOUND_MS, intervalMs: 500 });
}

// First, so that the slots that a clock ahead has run are over when the statuses are looked at.
test(`${HAND_OVERS_OF_THREE} hand-overs of three managers whose clocks differ: no slot is lost or doubled`, async () => {
  const replicas = await Promise.all(OFFSETS_MS.map((offsetMs) => startReplica(TIMINGS, offsetMs)));
  await using _ = { [Symbol.asyncDispose]: () => stop(replicas) };
  await leaderOf(replicas);
  const first = await holder();
  await sleep(PEACE_MS);
  expect(await holder(), 'nobody takes a lease that is renewed').toBe(first);
  const what = 'of three whose clocks are up to a minute apart';
  await handOverTimes(HAND_OVERS_OF_THREE, KINDS_OF_THREE, { replicas, what });
});

test.each([
  { times: HAND_OVERS, what: 'short leases', flags: TIMINGS, kinds: HAND_OVER_KINDS },
  { times: DEFAULT_HAND_OVERS, what: 'the default leases', flags: [], kinds: HAND_OVER_KINDS },
  { times: PAUSES, what: 'short leases, all by pauses', flags: TIMINGS, kinds: [PAUSED] },
])('$times hand-overs with $what: no slot is lost or doubled', async ({ times, what, flags, kinds }) => {
  const replicas = [await startReplica(flags), await startReplica(flags)];
  await using _ = { [Symbol.asyncDispose]: () => stop(replicas) };
  await handOverTimes(times, kinds, { replicas, what: `with ${what}` });
});

interface HandOvers {
  readonly replicas: readonly Replica[];
  /** For the results: what is special of these hand-overs. */
  readonly what: string;
}

async function handOverTimes(times: number, kinds: readonly HandOver[], { replicas, what }: HandOvers): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    const kind = kinds[turn % kinds.length] as HandOver;
    const before = rig.history.jobs.length;
    await handOver(kind, replicas);
    await rig.runNow(`${what} ${turn}`);
    if (turn % ALL_THROUGH_EVERY === ALL_THROUGH_EVERY - 1) await isWellThrough(await nowOfLeader(replicas));
    else await sleep(EVERY_SECONDS * 200);
    await rig.history.read();
    note(`${kind.fault}, ${what}`, rig.history.jobs.slice(before));
  }
  await isWellThrough(await nowOfLeader(replicas));
}

/** A slot comes when the clock of the leader says so. */
async function nowOfLeader(replicas: readonly Replica[]): Promise<number> {
  return (await leaderOf(replicas)).clock.now();
}

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
