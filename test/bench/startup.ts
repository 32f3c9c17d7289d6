/**
 * How fast the bundled manager is ready, and how much memory it keeps, with 1,000 CronJobs in the cluster.
 *
 *     npm run bench:startup
 *     npm run bench:startup -- --cron-jobs 10000 --jobs 40000      (startup-large.ts; creating so many takes minutes)
 *
 * Side by side, in turn: a bare `node -e 0`, the first list (one watch-list of every CronJob, as the manager begins), and
 * the manager from its start to the first 200 of /readyz. Prints medians; fails when a bound of the project is broken.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { discardLogger, type LiveClient, Reflector, SystemClock, type Transport } from 'controller-runtime';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { connect } from '../support/cluster-client.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { installDefinition } from './install-definition.ts';
import { memoryMiB } from './process-figures.ts';
import { benchLargeStart } from './startup-large.ts';

const CRON_JOBS = 1000;
const ROUNDS = 7;
const MAX_STARTUP_RATIO = 4;
const MAX_IDLE_MIB = 150;
const SETTLE_MS = 10_000;
const POLL_MS = 20;

const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) throw new Error('KUBECONFIG is not set: run this as `npm run bench:startup`');

async function main(path: string): Promise<void> {
  await using cluster = connect(path);
  await installDefinition(cluster.client);
  await createCronJobs(cluster.client);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      bare: await timed(bareNode),
      list: await timed(() => firstList(cluster.transport)),
      ready: await readyAfterMs(path),
    });
  }
  const bare = median(rounds.map((round) => round.bare));
  const list = median(rounds.map((round) => round.list));
  const ready = median(rounds.map((round) => round.ready));
  const ratio = ready / (bare + list);
  const idleMiB = await idleMemoryMiB(path);
  console.log(`bare node -e 0          ${bare.toFixed(0)} ms`);
  console.log(`first list, ${CRON_JOBS} objects ${list.toFixed(0)} ms`);
  console.log(`manager ready           ${ready.toFixed(0)} ms = ${ratio.toFixed(1)} x (bare + list)`);
  console.log(`idle memory             ${idleMiB.toFixed(0)} MiB resident`);
  if (ratio > MAX_STARTUP_RATIO) throw new Error(`ready takes more than ${MAX_STARTUP_RATIO} x (bare + list)`);
  if (idleMiB > MAX_IDLE_MIB) throw new Error(`idle memory is more than ${MAX_IDLE_MIB} MiB`);
}

async function createCronJobs(client: LiveClient): Promise<void> {
  const create = (index: number) =>
    client.create(cronJobs, {
      apiVersion: API_VERSION,
      kind: KIND,
      metadata: { name: `bench-${index}`, namespace: 'default' },
      spec: {
        schedule: '0 0 1 1 *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } } },
        },
      },
    } as unknown as CronJob); // the server fills in the defaults
  await Promise.all(Array.from({ length: CRON_JOBS }, (_, index) => create(index)));
}

async function bareNode(): Promise<void> {
  await once(spawn(process.execPath, ['-e', '0']), 'exit');
}

async function firstList(transport: Transport): Promise<void> {
  const stop = new AbortController();
  const listed = Promise.withResolvers<void>();
  const reflector = new Reflector<CronJob>({
    resource: cronJobs,
    transport,
    clock: new SystemClock(),
    log: discardLogger,
    sink: { replace: () => listed.resolve(), upsert() {}, remove() {} },
  });
  const running = reflector.run(stop.signal);
  await listed.promise;
  stop.abort();
  await running;
}

async function readyAfterMs(path: string): Promise<number> {
  const startedMs = performance.now();
  await using manager = new ManagerProcess(path);
  await untilReady(manager);
  return performance.now() - startedMs;
}

async function untilReady(manager: ManagerProcess): Promise<void> {
  const isReady = async () => (await manager.probe('/readyz')).status === 200;
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

async function idleMemoryMiB(path: string): Promise<number> {
  await using manager = new ManagerProcess(path);
  await untilReady(manager);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return await memoryMiB(manager, 'VmRSS');
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const { values } = parseArgs({ options: { 'cron-jobs': { type: 'string' }, jobs: { type: 'string', default: '0' } } });
if (values['cron-jobs'] === undefined) await main(kubeconfig);
else await benchLargeStart(kubeconfig, { cronJobs: Number(values['cron-jobs']), jobs: Number(values.jobs) });
