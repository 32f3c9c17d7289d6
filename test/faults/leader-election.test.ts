/** Two and three managers, and hand-overs of every kind in busy seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { leases } from '../support/leases.ts';
import { ApiProxy } from './support/api-proxy.ts';
import { chooseExtent } from './support/extent.ts';
import { createFileRig } from './support/file-rig.ts';
import {
  HAND_OVER_KINDS,
  HAND_OVER_KINDS_WITH_THREE_REPLICAS,
  type HandOverKind,
  ManagerExitedError,
  PAUSED,
  type Replica,
  THIEF,
  type Undo,
} from './support/hand-overs.ts';
import { countByPolicy } from './support/results.ts';
import { LEASE, LONG_LEASE } from './support/rig.ts';
import { findEarlyTakeOvers } from './support/verdict.ts';

const COUNT = 60;
const EVERY_SECONDS = 5;
/** Short timings, for many hand-overs. */
const TIMINGS = [
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=400ms',
];
/** Hand-overs with short leases; the other hand-overs use the default timings. */
const HAND_OVERS = Number(process.env['FAULTS_HAND_OVERS'] ?? chooseExtent({ all: 95, fast: 6 }));
const DEFAULT_HAND_OVERS = chooseExtent({ all: 5, fast: 1 });
/** Where in its burst a leader is stopped, and where it would continue, is random: a single case shows little. */
const PAUSES = chooseExtent({ all: 12, fast: 2 });
const HAND_OVERS_WITH_THREE_REPLICAS = 4;
/** For a manager whose clock differs from the machine's. */
const SHIFTED_CLOCK = new URL('./support/shifted-clock.ts', import.meta.url).href;
/** Offset from the machine's clock: two of the three are a minute apart. */
const OFFSETS_MS = [-30_000, 0, 30_000] as const;
/** Duration of two leases of {@link TIMINGS}. */
const QUIET_MS = 6000;
/** Maximum wait of a standby: the lease of the dead leader, and its own retry period. */
const TAKE_OVER_MS = 240_000;

const scene = createFileRig('leader-election', { count: COUNT, everySeconds: EVERY_SECONDS });

async function startReplica(flags: readonly string[], offsetMs = 0): Promise<Replica> {
  const { rig } = scene;
  const proxy = await ApiProxy.start(rig.connection);
  const environment = { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, CLOCK_OFFSET_MS: String(offsetMs) };
  return { proxy, offsetMs, manager: await rig.startManager({ proxy, flags, environment }) };
}

async function getLeaseHolder(): Promise<string> {
  return (await scene.rig.client.get(leases, LEASE))?.spec?.holderIdentity ?? '';
}

/** The leader, according to its log. */
async function findLeader(replicas: readonly Replica[]): Promise<Replica> {
  return await eventually(
    async () => {
      const identity = await getLeaseHolder();
      const leads = ({ manager }: Replica) =>
        manager.current.lines.some((line) => line['msg'] === 'became leader' && line['identity'] === identity);
      const leader = replicas.find(leads);
      if (leader === undefined)
        throw new Error(`no manager leads; the lease has the holder ${JSON.stringify(identity)}`);
      return leader;
    },
    { timeoutMs: TAKE_OVER_MS },
  );
}

async function handOver(kind: HandOverKind, replicas: readonly Replica[]): Promise<void> {
  const leader = await findLeader(replicas);
  const standby = replicas.find((replica) => replica !== leader);
  if (standby === undefined) throw new Error('no standby manager');
  const before = await getLeaseHolder();
  let undo: Undo | undefined;
  try {
    undo = await kind.begin({ leader, standby, rig: scene.rig });
  } catch (error) {
    if (error instanceof ManagerExitedError) return await handOver(kind, replicas);
    throw error;
  }
  await eventually(async () => expect(['', before]).not.toContain(await getLeaseHolder()), { timeoutMs: TAKE_OVER_MS });
  await undo?.();
}

// First, so that the slots of a clock that is ahead are over when the statuses are checked.
test(`${HAND_OVERS_WITH_THREE_REPLICAS} hand-overs of three managers whose clocks differ: no slot is lost or doubled`, async () => {
  const replicas = await Promise.all(OFFSETS_MS.map((offsetMs) => startReplica(TIMINGS, offsetMs)));
  await using _ = { [Symbol.asyncDispose]: () => stop(replicas) };
  await findLeader(replicas);
  await sleep(QUIET_MS); // the last test checks whether another replica has used the pause to take the lease
  const title = 'among three managers with different clocks';
  await repeatHandOvers(HAND_OVERS_WITH_THREE_REPLICAS, HAND_OVER_KINDS_WITH_THREE_REPLICAS, { replicas, title });
});

test.each([
  { times: HAND_OVERS, what: 'short leases', flags: TIMINGS, kinds: HAND_OVER_KINDS },
  { times: DEFAULT_HAND_OVERS, what: 'default leases', flags: [], kinds: HAND_OVER_KINDS },
  { times: PAUSES, what: 'short leases and only pauses', flags: TIMINGS, kinds: [PAUSED] },
])('$times hand-overs with $what: no slot is lost or doubled', async ({ times, what, flags, kinds }) => {
  const replicas = [await startReplica(flags), await startReplica(flags)];
  await using _ = { [Symbol.asyncDispose]: () => stop(replicas) };
  await repeatHandOvers(times, kinds, { replicas, title: `with ${what}` });
});

interface HandOverSeries {
  readonly replicas: readonly Replica[];
  /** Description of these hand-overs for the results. */
  readonly title: string;
}

async function repeatHandOvers(
  times: number,
  kinds: readonly HandOverKind[],
  { replicas, title }: HandOverSeries,
): Promise<void> {
  const { rig } = scene;
  for (let index = 0; index < times; index++) {
    const kind = kinds[index % kinds.length] as HandOverKind;
    const before = rig.history.jobs.length;
    await handOver(kind, replicas);
    await rig.runNow(`${title} ${index}`);
    await sleep(EVERY_SECONDS * 200);
    await rig.history.read();
    recordRow(`${kind.fault}, ${title}`, rig.history.jobs.slice(before));
  }
  const throughMs = await getLeaderTime(replicas);
  await stop(replicas);
  // On a busy machine, a short lease changes hands so often that no leader lives for the ten seconds after which it writes each status.
  await using _ = await rig.startManager({ flags: LONG_LEASE });
  await rig.waitUntilWellThrough(throughMs);
}

/** Slots follow the clock of the leader. */
async function getLeaderTime(replicas: readonly Replica[]): Promise<number> {
  return Date.now() + (await findLeader(replicas)).offsetMs;
}

async function stop(replicas: readonly Replica[]): Promise<void> {
  for (const { manager, proxy } of replicas) {
    await manager[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  }
}

function recordRow(fault: string, jobs: Parameters<typeof countByPolicy>[0]): void {
  const { rows } = scene;
  const index = rows.findIndex((row) => row.fault === fault);
  const existingRow = rows[index];
  const runs = countByPolicy(jobs);
  if (existingRow === undefined) rows.push({ fault, times: 1, runs });
  else {
    const sum = Object.entries(runs).map(([policy, count]) => [policy, count + (existingRow.runs[policy] ?? 0)]);
    rows[index] = { fault, times: existingRow.times + 1, runs: { ...existingRow.runs, ...Object.fromEntries(sum) } };
  }
}

test('no manager took a lease before it expired', async () => {
  const { leases: writes } = await scene.rig.history.read();
  expect(new Set(writes.map(({ holder: each }) => each)).size).toBeGreaterThan(HAND_OVERS);
  expect(findEarlyTakeOvers(writes).filter((each) => !each.startsWith(THIEF))).toEqual([]);
});

test('every status is correct at the end', async () => {
  await scene.rig.startManager({ flags: LONG_LEASE });
  await scene.rig.expectCorrectStatuses();
});
