/**
 * Measures what parallel hostile reviews cost a manager with the memory limit of config/manager, and an API server that sends good reviews.
 *
 *     npm run bench:hostile-webhooks [-- ATTACK…]
 *
 * Each attack comes from a separate address, as from a Pod, and then from the same address as the good reviews. Prints how long good
 * reviews took meanwhile, over a kept connection and over new ones, and how many hostile reviews ended before each; then the peak memory,
 * the counters of the manager, and how many runs started. Fails when the manager dies or exceeds its memory, or when no run starts.
 * Attackers and good reviews are separate processes; all share the processors of this machine.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LiveClient } from 'controller-runtime';
import { eventually, findFreePort, writeCertificate } from 'controller-runtime/testing';
import { cronJobs, jobs } from '../../controllers/resources.ts';
import { connect } from '../support/cluster-client.ts';
import { newCronJob } from '../support/cron-jobs.ts';
import { installCrd } from '../support/custom-resource-definitions.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import type { ClientTask, FloodKind, RequestOutcome } from './hostile-clients.ts';
import { readUsage } from './performance/process-usage.ts';

/** The limit of config/manager/manager.yaml. */
const MEMORY_LIMIT_MIB = 512;

const ATTACKS: readonly FloodKind[] = ['bodies', 'creates', 'slow senders', 'connections'];
const selected = ATTACKS.filter((attack) => process.argv.length === 2 || process.argv.includes(attack));
const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) throw new Error('KUBECONFIG is not set: run this as `npm run bench:hostile-webhooks`');

async function main(path: string): Promise<void> {
  await using cluster = connect(path);
  await installCrd(cluster.client);
  const [folder, port, metricsPort] = [
    mkdtempSync(join(tmpdir(), 'hostile-')),
    await findFreePort(),
    await findFreePort(),
  ];
  writeCertificate(folder);
  const flags = [`--webhook-cert-path=${folder}`, `--webhook-port=${port}`, '--webhook-shutdown-delay=0s'];
  flags.push(`--metrics-bind-address=127.0.0.1:${metricsPort}`, '--metrics-secure=false');
  await using manager = new ManagerProcess(path, flags, { NODE_OPTIONS: `--max-old-space-size=${MEMORY_LIMIT_MIB}` });
  await manager.waitForLog('listening', { server: 'webhooks' });
  await cluster.client.create(cronJobs, newCronJob('default', 'every-second', '@every 1s'));
  await eventually(async () => {
    if ((await countJobs(cluster.client)) === 0) throw new Error('no run yet');
  });
  const before = { runs: await countJobs(cluster.client), mib: Math.round(readUsage(manager.pid).residentMiB) };
  for (const localAddress of ['127.0.0.2', '127.0.0.1']) {
    for (const attack of selected) await measure(attack, { port, localAddress });
  }
  const peakMiB = Math.round(readUsage(manager.pid).peakMiB);
  console.log(`resident before, peak  ${before.mib} MiB, ${peakMiB} MiB of ${MEMORY_LIMIT_MIB}`);
  console.log(`reviews counted        ${JSON.stringify(await readCounters(metricsPort))}`);
  const started = (await countJobs(cluster.client)) - before.runs;
  console.log(`runs started           ${started}`);
  if (started === 0) throw new Error('no run started');
  if (peakMiB > MEMORY_LIMIT_MIB) throw new Error('the manager used more memory than its limit');
}

async function measure(attack: FloodKind, server: Omit<ClientTask, 'work'>): Promise<void> {
  const hostile = await start({ work: attack, ...server });
  const goodClient = await start({ work: 'good reviews', ...server });
  // Bodies and creates end on their own, and then the good reviews end; the other attacks end after enough good reviews.
  const [first, second] = attack === 'bodies' || attack === 'creates' ? [hostile, goodClient] : [goodClient, hostile];
  if (first === goodClient) goodClient.child.send('stop');
  await first.outcomes;
  second.child.send('stop');
  console.log(`${attack} from ${server.localAddress}`);
  report(await goodClient.outcomes, await hostile.outcomes);
}

interface HostileClient {
  readonly child: ChildProcess;
  readonly outcomes: Promise<readonly RequestOutcome[]>;
}

/** Resolves when the client has started. */
async function start(task: ClientTask): Promise<HostileClient> {
  const child = fork(resolve(import.meta.dirname, 'hostile-clients.ts'));
  child.send(task);
  await once(child, 'message');
  return { child, outcomes: once(child, 'message').then(([outcomes]) => outcomes) };
}

function report(reviews: readonly RequestOutcome[], hostile: readonly RequestOutcome[]): void {
  console.log(`  hostile              ${JSON.stringify(countByOutcome(hostile))}`);
  for (const connection of ['kept', 'new']) {
    const matching = reviews.filter((each) => each.connection === connection);
    const tookMs = sortNumbers(matching.map((each) => each.tookMs ?? 0));
    const earlier = sortNumbers(matching.map(({ atMs }) => hostile.filter((outcome) => outcome.atMs < atMs).length));
    const concurrent = sortNumbers(matching.map((each) => hostile.filter((outcome) => isDuring(outcome, each)).length));
    const retries = matching.reduce((sum, each) => sum + (each.retries ?? 0), 0);
    console.log(
      `  good, ${connection.padEnd(4)} connection ${JSON.stringify(countByOutcome(matching))}, ${retries} retries`,
    );
    console.log(`    median, slowest    ${median(tookMs)} ms, ${(tookMs.at(-1) ?? 0).toFixed(0)} ms`);
    console.log(`    hostile ones ended ${earlier[0]} before the first, ${median(earlier)} before half of them`);
    console.log(`                       during one:       median ${median(concurrent)}, most ${concurrent.at(-1)}`);
  }
}

function isDuring(outcome: RequestOutcome, { atMs, tookMs = 0 }: RequestOutcome): boolean {
  return outcome.atMs < atMs && outcome.atMs > atMs - tookMs;
}

const sortNumbers = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
const median = (numbers: readonly number[]) => (numbers[Math.floor(numbers.length / 2)] ?? 0).toFixed(0);

function countByOutcome(all: readonly { readonly result: string }[]): Readonly<Record<string, number>> {
  const groups = Object.entries(Object.groupBy(all, ({ result }) => result));
  return Object.fromEntries(groups.map(([result, group]) => [result, group?.length ?? 0]));
}

/** The counters of the manager, by code. */
async function readCounters(metricsPort: number): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const lines = text.matchAll(/^controller_runtime_webhook_requests_total\{.*?code="(\d+)".*?\} (\d+)$/gm);
  return Object.fromEntries([...lines].filter(([, , total]) => total !== '0').map(([, code, n]) => [code, Number(n)]));
}

async function countJobs(client: LiveClient): Promise<number> {
  return (await client.list(jobs, { namespace: 'default' })).length;
}

await main(kubeconfig);
