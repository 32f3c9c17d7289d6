/**
 * The start with so many objects that reading them is what takes time: until all are in sync, and until each CronJob had its first
 * pass. Side by side, in turn, with a bare Node that reads and parses the same. Prints medians; fails when a bound is broken.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from 'controller-runtime/testing';
import { connect } from '../support/cluster-client.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { type Counts, createWithHistory } from './cron-jobs-with-history.ts';
import { installDefinition } from './install-definition.ts';
import { cpuSeconds, memoryMiB } from './process-figures.ts';

const FLAGS = ['--metrics-bind-address=127.0.0.1:0', '--metrics-secure=false'];
const ROUNDS = 3;
const MAX_RATIO = 3;
const MAX_BLOCK_MS = 50;
/** The first pass of a CronJob with Jobs that no status records writes its status: so all of them may take minutes. */
const PASSES_TIMEOUT_MS = 900_000;
const PROGRESS_EACH = 5_000;

interface Took {
  /** From the start of the process until it had all objects. */
  readonly syncMs: number;
  readonly syncCpuMs: number;
  /** From the start of the process until the last first pass has ended. */
  readonly passesMs: number;
  readonly passesCpuMs: number;
  /** Longest turn of the event loop, in CPU time. */
  readonly blockMs: number;
  readonly peakMiB: number;
}

export async function benchLargeStart(kubeconfig: string, counts: Counts): Promise<void> {
  await using cluster = connect(kubeconfig);
  await installDefinition(cluster.client);
  await createWithHistory(cluster, counts, (created) => {
    if (created % PROGRESS_EACH === 0) console.log(`created ${created} objects`);
  });
  const first = await start(kubeconfig, counts);
  console.log(`the first start, which writes each status: ${described(first)}`);
  const rounds: { readonly raw: RawList; readonly manager: Took }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const raw = await rawList();
    const manager = await start(kubeconfig, counts);
    console.log(`raw list: ${seconds(raw.wallMs)}, CPU ${seconds(raw.cpuMs)}; manager: ${described(manager)}`);
    rounds.push({ raw, manager });
  }
  const wallRatio = median(rounds.map(({ raw, manager }) => manager.syncMs / raw.wallMs));
  const cpuRatio = median(rounds.map(({ raw, manager }) => manager.syncCpuMs / raw.cpuMs));
  const longestMs = Math.max(first.blockMs, ...rounds.map(({ manager }) => manager.blockMs));
  console.log(`in sync with ${counts.cronJobs} CronJobs and ${counts.jobs} Jobs`);
  console.log(`  time                    ${wallRatio.toFixed(2)} x the raw list`);
  console.log(`  CPU                     ${cpuRatio.toFixed(2)} x the raw list`);
  console.log(`longest block             ${longestMs} ms of CPU, until the first passes are done`);
  if (wallRatio > MAX_RATIO) throw new Error(`in sync takes more than ${MAX_RATIO} x the raw list`);
  if (longestMs > MAX_BLOCK_MS) throw new Error(`a block of the event loop is longer than ${MAX_BLOCK_MS} ms`);
}

async function start(kubeconfig: string, { cronJobs }: Counts): Promise<Took> {
  const blocks = new URL('event-loop-blocks.mjs', import.meta.url);
  const environment = { NODE_OPTIONS: `--import=${blocks.href}` };
  const startedMs = performance.now();
  await using manager = new ManagerProcess(kubeconfig, FLAGS, environment);
  const since = async () => ({ ms: performance.now() - startedMs, cpuMs: (await cpuSeconds(manager)) * 1000 });
  const waits = { timeoutMs: PASSES_TIMEOUT_MS, intervalMs: 100 };
  await eventually(() => manager.logged('caches synced'), waits);
  const sync = await since();
  const { port } = await manager.logged('listening', { server: 'metrics' });
  await eventually(() => passesEnded(Number(port), cronJobs), { ...waits, intervalMs: 500 });
  const passes = await since();
  const longest = manager.lines.findLast(({ msg }) => msg === 'block of the event loop');
  return {
    syncMs: sync.ms,
    syncCpuMs: sync.cpuMs,
    passesMs: passes.ms,
    passesCpuMs: passes.cpuMs,
    blockMs: Number(longest?.['cpuMs'] ?? 0),
    peakMiB: await memoryMiB(manager, 'VmHWM'),
  };
}

/** Throws until there were so many passes and none is under way. */
async function passesEnded(port: number, atLeast: number): Promise<void> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sumOf = (name: string) => {
    const values = [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'gm'))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  };
  const passes = sumOf('controller_runtime_reconcile_total');
  const unfinished = sumOf('workqueue_depth') + sumOf('controller_runtime_active_workers');
  if (passes < atLeast || unfinished > 0) throw new Error(`${passes} of ${atLeast} passes, ${unfinished} unfinished`);
}

interface RawList {
  readonly objects: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

async function rawList(): Promise<RawList> {
  const program = new URL('raw-list.ts', import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [program.pathname]);
  return JSON.parse(stdout);
}

function described({ syncMs, syncCpuMs, passesMs, passesCpuMs, blockMs, peakMiB }: Took): string {
  const sync = `in sync ${seconds(syncMs)}, CPU ${seconds(syncCpuMs)}`;
  const passes = `first passes done ${seconds(passesMs)}, CPU ${seconds(passesCpuMs)}`;
  return `${sync}; ${passes}; longest block ${blockMs} ms; peak ${peakMiB.toFixed(0)} MiB`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
