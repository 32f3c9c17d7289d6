/**
 * Two managers at once, each with the same number of CronJobs in its own namespace, all due in the same minute. The load of the machine
 * affects both, so their CPU can be compared, which is not possible for two runs one after the other. The CronJobs of one manager do not
 * use the newer fields. The CronJobs of the other use all of them, and have full lists of runs and skips in the status.
 *
 *     npm run bench:recent-runs -- [--cron-jobs 500] [--rounds 3] [--plain <program>] [--full <program>]
 *
 * A program is `dist/manager.mjs` of a checkout, this one or another. It runs with the environment and the flags of node from the
 * Dockerfile of that checkout. Linux only: CPU is read from /proc.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Resource } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { formatTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { formatRecentRun, formatRecentSkip } from '../../api/v1/recent-lines.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { parseFinalStage } from '../../hack/image/dockerfile.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { installCrd } from '../support/custom-resource-definitions.ts';
import { BUNDLE, ManagerProcess, type ManagerProgram } from '../support/manager-process.ts';
import { computeMedian } from './performance/figures.ts';
import { addMs, findFreeMinute, formatOnce } from './performance/minutes.ts';
import { readUsage, type Usage } from './performance/process-usage.ts';

const SETTLE_MS = 10_000;
const HOUR_MS = 3_600_000;
const LISTED = 10;
const CREATORS = 16;
/** A manager that used less CPU than this while the benchmark waited has no work left. */
const IDLE_CPU_SECONDS = 0.05;

interface Side {
  readonly name: 'plain' | 'full';
  readonly program: ManagerProgram;
  readonly environment: Readonly<Record<string, string>>;
}

const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) throw new Error('KUBECONFIG is not set: run this as `npm run bench:recent-runs`');

async function main(path: string, sides: readonly Side[], count: number, rounds: number): Promise<void> {
  await using cluster = connect(path);
  await installCrd(cluster.client);
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    // The order of the two affects the scheduler, so they take turns.
    const order = round % 2 === 0 ? sides.toReversed() : sides;
    const usages = await measure({ cluster, path, order, count, round });
    const ratio = (usages.get('full')?.cpuSeconds ?? Number.NaN) / (usages.get('plain')?.cpuSeconds ?? Number.NaN);
    ratios.push(ratio);
    const cells = [...usages].map(([name, { cpuSeconds, peakMiB }]) => {
      return `${name}: ${cpuSeconds.toFixed(2)} s CPU, ${peakMiB.toFixed(0)} MiB at the peak`;
    });
    console.log(`round ${round}: ${cells.toSorted().join('; ')}; CPU full / plain ${ratio.toFixed(3)}`);
  }
  console.log(`median of the ratios: ${computeMedian(ratios).toFixed(3)}`);
}

interface Round {
  readonly cluster: ClusterClient;
  readonly path: string;
  readonly order: readonly Side[];
  readonly count: number;
  readonly round: number;
}

async function measure({ cluster, path, order, count, round }: Round): Promise<ReadonlyMap<string, Usage>> {
  const due = findFreeMinute(count, 3);
  await using stack = new AsyncDisposableStack();
  const started: { side: Side; namespace: string; manager: ManagerProcess }[] = [];
  for (const side of order) {
    const namespace = `recent-runs-${round}-${side.name}`;
    await fillNamespace(cluster, { namespace, side, count, due });
    const flags = ['--metrics-bind-address=127.0.0.1:0', `--namespaces=${namespace}`];
    const manager = stack.use(new ManagerProcess(path, flags, side.environment, side.program));
    started.push({ side, namespace, manager });
  }
  for (const { manager } of started) await manager.waitUntilReady();
  const waitMs = addMs(due, -1000).getTime() - Date.now();
  if (waitMs < SETTLE_MS) throw new Error(`the machine is slow: ${waitMs} ms are left; give fewer CronJobs`);
  await sleep(waitMs);
  const before = started.map(({ manager }) => readUsage(manager.pid).cpuSeconds);
  const usages = new Map<string, Usage>();
  for (let isBusy = true; isBusy; ) {
    await sleep(SETTLE_MS);
    isBusy = false;
    for (const [index, { side, manager }] of started.entries()) {
      const usage = readUsage(manager.pid);
      const cpuSeconds = usage.cpuSeconds - (before[index] ?? 0);
      isBusy ||= cpuSeconds - (usages.get(side.name)?.cpuSeconds ?? 0) > IDLE_CPU_SECONDS;
      usages.set(side.name, { ...usage, cpuSeconds });
    }
  }
  for (const { namespace } of started) await checkStatuses(cluster, namespace, due);
  return usages;
}

interface NamespaceContent {
  readonly namespace: string;
  readonly side: Side;
  readonly count: number;
  readonly due: Date;
}

const namespaces: Resource = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

/** Creates the CronJobs; a CronJob with full lists gets its status before a manager sees it. */
async function fillNamespace(
  { client }: ClusterClient,
  { namespace, side, count, due }: NamespaceContent,
): Promise<void> {
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const names = Array.from({ length: count }, (_, index) => `cj-${index}`).values();
  const create = async () => {
    for (const name of names) {
      const { metadata } = await client.create(cronJobs, createCronJob(namespace, name, side, due));
      if (side.name === 'full') await client.updateStatus(cronJobs, { metadata, status: createFullStatus(name, due) });
    }
  };
  await Promise.all(Array.from({ length: CREATORS }, create));
}

function createCronJob(namespace: string, name: string, { name: side }: Side, due: Date): CronJob {
  const container = { name: 'main', image: 'busybox:1.36', command: ['true'] };
  const newer = {
    recentRunsLimit: LISTED,
    startTimeoutSeconds: 600,
    expectSuccessWithinSeconds: 864_000,
    pauseAfterFailures: 5,
    runContext: 'Env',
  };
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [container] } } } };
  const spec = { schedule: formatOnce(due), jobTemplate, ...(side === 'full' && newer) };
  // The server fills in the defaults.
  return { apiVersion: API_VERSION, kind: KIND, metadata: { name, namespace }, spec } as unknown as CronJob;
}

/** Ten runs with one failure, and ten ranges of skips. */
function createFullStatus(name: string, due: Date): CronJobStatus {
  const before = (hours: number, seconds = 0) => new Date(due.getTime() - hours * HOUR_MS + seconds * 1000);
  const numbers = Array.from({ length: LISTED }, (_, index) => index);
  const recentRuns = numbers.map((index) =>
    formatRecentRun({
      jobName: `${name}-${before(index + 1).getTime() / 60_000}`,
      trigger: 'Schedule',
      scheduledTime: before(index + 1),
      createdTime: before(index + 1, 1),
      completionTime: before(index + 1, 64),
      ...(index === 3
        ? { result: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
        : { result: 'Succeeded' }),
    }),
  );
  const recentSkips = numbers.map((index) => {
    const firstTime = before(2 * index + LISTED + 2);
    const lastTime = before(2 * index + LISTED + 1.5);
    return formatRecentSkip({ firstTime, lastTime, count: 3, reason: 'ConcurrencyPolicyForbid' });
  });
  return {
    recentRuns,
    recentSkips,
    lastScheduleTime: formatTime(before(1)),
    lastSuccessfulTime: formatTime(before(1, 64)),
    lastFailureTime: formatTime(before(4, 64)),
    consecutiveFailures: 0,
    successExpectedSince: formatTime(before(100)),
  };
}

/** Throws unless each CronJob has its run, because a missing run costs a manager nothing. */
async function checkStatuses({ client }: ClusterClient, namespace: string, due: Date): Promise<void> {
  await eventually(async () => {
    const stored = await client.list(cronJobs, { namespace });
    const incomplete = stored.filter(({ status }) => status?.lastScheduleTime !== formatTime(due));
    if (incomplete.length > 0) throw new Error(`${namespace}: ${incomplete.length} statuses do not have the run`);
  });
}

/** Runs the manager with the settings from the Dockerfile of its checkout. */
function parseProgram(file: string): Pick<Side, 'program' | 'environment'> {
  const { config } = parseFinalStage(readFileSync(resolve(dirname(file), '../Dockerfile'), 'utf8'));
  const environment = Object.fromEntries(config.Env.map((pair) => pair.split('=', 2)));
  return { program: { file, nodeFlags: config.Entrypoint?.slice(1, -1) ?? [] }, environment };
}

const { values } = parseArgs({
  options: {
    'cron-jobs': { type: 'string', default: '500' },
    rounds: { type: 'string', default: '3' },
    plain: { type: 'string', default: BUNDLE },
    full: { type: 'string', default: BUNDLE },
  },
});
const sides: readonly Side[] = [
  { name: 'plain', ...parseProgram(values.plain) },
  { name: 'full', ...parseProgram(values.full) },
];
const [count, rounds] = [Number(values['cron-jobs']), Number(values.rounds)];
if (!(count >= 1 && rounds >= 1)) throw new Error('--cron-jobs and --rounds: give numbers of 1 or more');
await main(kubeconfig, sides, count, rounds);
