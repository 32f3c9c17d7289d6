/**
 * What the record of runs costs the manager: two managers at once, each with as many CronJobs in a namespace of its own, all due in the
 * same minute. Those of one have none of the newer fields; those of the other have all of them, and full lists in the status. What else
 * happens on the machine happens to both, so their CPU can be compared where that of two runs, one after the other, cannot.
 *
 *     npm run bench:recent-runs -- [--cron-jobs 500] [--rounds 3] [--plain <program>] [--full <program>]
 *
 * A program is `dist/manager.mjs` of a checkout, this one or another. It runs as that checkout's Dockerfile says: with its environment and
 * its flags of node. Linux only: CPU is read from /proc.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pathOf, type Resource } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { formatTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { formatRecentRun, formatRecentSkip } from '../../api/v1/recent-lines.ts';
import { cronJobs, jobs } from '../../controllers/resources.ts';
import { finalStage } from '../../hack/image/dockerfile.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { BUNDLE, ManagerProcess, type Program } from '../support/manager-process.ts';
import { countOf } from './count-of.ts';
import { installDefinition } from './install-definition.ts';
import { cpuSeconds, memoryMiB } from './process-figures.ts';

const QUIET_MS = 20_000;
const SETTLE_MS = 10_000;
const HOUR_MS = 3_600_000;
const LISTED = 10;
const CREATORS = 16;

interface Side {
  readonly name: 'plain' | 'full';
  readonly program: Program;
  readonly environment: Readonly<Record<string, string>>;
}

interface Figures {
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) throw new Error('KUBECONFIG is not set: run this as `npm run bench:recent-runs`');

async function main(path: string, sides: readonly Side[], count: number, rounds: number): Promise<void> {
  await using cluster = connect(path);
  await installDefinition(cluster.client);
  console.log('| Round | plain: CPU, peak | full: CPU, peak | CPU: full / plain |');
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    // Who comes first is dealt the better or the worse hand by the scheduler: so they take turns.
    const order = round % 2 === 0 ? sides.toReversed() : sides;
    const figures = await measure({ cluster, path, order, count, round });
    const shown = sides.map(({ name }) => {
      const { cpuSeconds: cpu = Number.NaN, peakMiB = Number.NaN } = figures.get(name) ?? {};
      return `${cpu.toFixed(2)} s, ${peakMiB.toFixed(0)} MiB`;
    });
    const ratio = (figures.get('full')?.cpuSeconds ?? Number.NaN) / (figures.get('plain')?.cpuSeconds ?? Number.NaN);
    ratios.push(ratio);
    console.log(`| ${[round, ...shown, ratio.toFixed(3)].join(' | ')} |`);
  }
  const median = ratios.toSorted((left, right) => left - right)[Math.floor(ratios.length / 2)];
  console.log(`median of the ratios: ${median?.toFixed(3)}`);
}

interface Round {
  readonly cluster: ClusterClient;
  readonly path: string;
  readonly order: readonly Side[];
  readonly count: number;
  readonly round: number;
}

async function measure({ cluster, path, order, count, round }: Round): Promise<ReadonlyMap<string, Figures>> {
  const due = new Date(Math.ceil((Date.now() + QUIET_MS + count * 30) / 60_000) * 60_000);
  await using stack = new AsyncDisposableStack();
  const managers = new Map<Side, ManagerProcess>();
  for (const side of order) {
    const namespace = namespaceOf(side, round);
    await fill(cluster, { namespace, side, count, due });
    const flags = ['--metrics-bind-address=127.0.0.1:0', `--namespaces=${namespace}`];
    managers.set(side, stack.use(new ManagerProcess(path, flags, side.environment, side.program)));
  }
  for (const manager of managers.values()) {
    await eventually(async () => {
      if ((await manager.probe('/readyz')).status !== 200) throw new Error('not ready');
    });
  }
  const waitMs = due.getTime() - 1000 - Date.now();
  if (waitMs < QUIET_MS / 2) throw new Error(`the machine is slow: ${waitMs} ms are left; give fewer CronJobs`);
  await pause(waitMs);
  const before = new Map<Side, number>();
  for (const [side, manager] of managers) before.set(side, await cpuSeconds(manager));
  for (const side of order) {
    await eventually(
      async () => {
        const started = await countOf(cluster.transport, pathOf(jobs, namespaceOf(side, round)));
        if (started < count) throw new Error(`${started} of ${count} are started`);
      },
      { intervalMs: 1000, timeoutMs: 300_000 },
    );
  }
  const figures = new Map<string, Figures>();
  for (let rising = true; rising; ) {
    await pause(SETTLE_MS);
    rising = false;
    for (const [side, manager] of managers) {
      const cpu = (await cpuSeconds(manager)) - (before.get(side) ?? 0);
      rising ||= cpu - (figures.get(side.name)?.cpuSeconds ?? 0) > 0.05;
      figures.set(side.name, { cpuSeconds: cpu, peakMiB: await memoryMiB(manager, 'VmHWM') });
    }
  }
  for (const side of order) await checkStatuses(cluster, namespaceOf(side, round), due);
  return figures;
}

function namespaceOf({ name }: Side, round: number): string {
  return `recent-runs-${round}-${name}`;
}

interface Filling {
  readonly namespace: string;
  readonly side: Side;
  readonly count: number;
  readonly due: Date;
}

const namespaces: Resource = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

/** Creates the CronJobs; those with full lists get their status before a manager sees them. */
async function fill({ client }: ClusterClient, { namespace, side, count, due }: Filling): Promise<void> {
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  let next = 0;
  const create = async () => {
    while (next < count) {
      const name = `cj-${String(next++).padStart(5, '0')}`;
      const created = await client.create(cronJobs, cronJobOf(namespace, name, side, due));
      if (side.name === 'plain') continue;
      await client.updateStatus(cronJobs, { metadata: created.metadata, status: fullStatus(name, due) });
    }
  };
  await Promise.all(Array.from({ length: CREATORS }, create));
}

function cronJobOf(namespace: string, name: string, { name: side }: Side, due: Date): CronJob {
  const container = { name: 'main', image: 'busybox:1.36', command: ['true'] };
  const minute = [due.getUTCMinutes(), due.getUTCHours(), due.getUTCDate(), due.getUTCMonth() + 1];
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name, namespace },
    spec: {
      schedule: `${minute.join(' ')} *`,
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [container] } } } },
      ...(side === 'full' && {
        recentRunsLimit: LISTED,
        startTimeoutSeconds: 600,
        expectSuccessWithinSeconds: 864_000,
        pauseAfterFailures: 5,
        runContext: 'Env',
      }),
    },
  } as unknown as CronJob; // the server fills in the defaults
}

/** Ten runs, of which one failed, and ten stretches of skips. */
function fullStatus(name: string, due: Date): CronJobStatus {
  const before = (hours: number, seconds = 0) => new Date(due.getTime() - hours * HOUR_MS + seconds * 1000);
  const recentRuns = Array.from({ length: LISTED }, (_, index) => {
    const scheduledTime = before(index + 1);
    const hasFailed = index === 3;
    return formatRecentRun({
      jobName: `${name}-${scheduledTime.getTime() / 60_000}`,
      trigger: 'Schedule',
      scheduledTime,
      createdTime: before(index + 1, 1),
      completionTime: before(index + 1, 64),
      result: hasFailed ? 'Failed' : 'Succeeded',
      ...(hasFailed && {
        reason: 'BackoffLimitExceeded',
        message: 'Job has reached the specified backoff limit',
      }),
    });
  });
  const recentSkips = Array.from({ length: LISTED }, (_, index) => {
    const firstTime = before(2 * index + LISTED + 2);
    return formatRecentSkip({
      firstTime,
      lastTime: before(2 * index + LISTED + 1.5),
      count: index % 2 === 0 ? 1 : 3,
      reason: index % 2 === 0 ? 'DeadlineExceeded' : 'ConcurrencyPolicyForbid',
    });
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

async function checkStatuses({ client }: ClusterClient, namespace: string, due: Date): Promise<void> {
  const found = await client.list(cronJobs, { namespace });
  const wrong = found.filter(({ status }) => status?.lastScheduleTime !== formatTime(due));
  if (wrong.length > 0) throw new Error(`${namespace}: ${wrong.length} statuses do not have the run`);
}

/** As the Dockerfile of its checkout runs it. */
function asImageRuns(file: string): Pick<Side, 'program' | 'environment'> {
  const { config } = finalStage(readFileSync(resolve(dirname(file), '../Dockerfile'), 'utf8'));
  const environment = Object.fromEntries(config.Env.map((pair) => pair.split('=', 2)));
  return { program: { file, nodeFlags: config.Entrypoint?.slice(1, -1) ?? [] }, environment };
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
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
  { name: 'plain', ...asImageRuns(values.plain) },
  { name: 'full', ...asImageRuns(values.full) },
];
const [count, rounds] = [Number(values['cron-jobs']), Number(values.rounds)];
if (!(count >= 1 && rounds >= 1)) throw new Error('--cron-jobs and --rounds: give numbers of 1 or more');
await main(kubeconfig, sides, count, rounds);
