/**
 * What a manager needs: memory and CPU, idle and in the minute in which all CronJobs are due at once.
 *
 *     npm run bench:sizing            (or with numbers of CronJobs: npm run bench:sizing -- 100 1000)
 *
 * Prints rows of the table in docs/sizing.md. Linux only: memory is read from /proc.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { pathOf, type Resource } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { parse } from 'yaml';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJobs, jobs } from '../../controllers/resources.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { countOf } from './count-of.ts';
import { installDefinition } from './install-definition.ts';
import { cpuSeconds, memoryMiB } from './process-figures.ts';

const COUNTS = [100, 1000, 5000];
const SETTLE_MS = 20_000;
/** Long enough to be idle for a while before. */
const MINUTES_AHEAD = 2;
const BURST_TIMEOUT_MS = 300_000;

interface Sizes {
  readonly startPeakMiB: number;
  readonly idleMiB: number;
  readonly burstPeakMiB: number;
  readonly burstCpuSeconds: number;
  readonly burstSeconds: number;
  readonly afterMiB: number;
}

const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) throw new Error('KUBECONFIG is not set: run this as `npm run bench:sizing`');

async function main(path: string, counts: readonly number[]): Promise<void> {
  await using cluster = connect(path);
  await installDefinition(cluster.client);
  console.log(
    '| CronJobs | At the start | Idle | In the minute of the runs | CPU of all the runs | All started after | Later |',
  );
  for (const count of counts) {
    const sizes = await measure(cluster, path, count);
    const mib = (value: number) => `${value.toFixed(0)} MiB`;
    const cells = [
      String(count),
      mib(sizes.startPeakMiB),
      mib(sizes.idleMiB),
      mib(sizes.burstPeakMiB),
      `${sizes.burstCpuSeconds.toFixed(1)} s`,
      `${sizes.burstSeconds.toFixed(1)} s`,
      mib(sizes.afterMiB),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

const namespaces: Resource = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

async function measure(cluster: ClusterClient, path: string, count: number): Promise<Sizes> {
  const { client, transport } = cluster;
  const namespace = `sizing-${count}`;
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const sample = new URL('../../config/samples/nightly-backup.yaml', import.meta.url);
  const backup: CronJob = parse(await readFile(sample, 'utf8'));
  const createdAheadMs = count * 10;
  const due = new Date(Math.ceil((Date.now() + createdAheadMs) / 60_000 + MINUTES_AHEAD) * 60_000);
  const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
  const { timeZone: _, ...spec } = backup.spec;
  for (let index = 0; index < count; index++) {
    const metadata = { name: `backup-${index}`, namespace };
    await client.create(cronJobs, { ...backup, metadata, spec: { ...spec, schedule } });
  }
  // Without leader election: on a machine that is busy with the rest, the lease may be lost, and the numbers with it.
  const flags = ['--metrics-bind-address=127.0.0.1:0', `--namespaces=${namespace}`];
  await using manager = new ManagerProcess(path, flags);
  await eventually(async () => {
    if ((await manager.probe('/readyz')).status !== 200) throw new Error('not ready');
  });
  await pause(SETTLE_MS);
  const startPeakMiB = await memoryMiB(manager, 'VmHWM');
  const idleMiB = await memoryMiB(manager, 'VmRSS');
  if (Date.now() > due.getTime() - 1000) throw new Error('the burst came too early: raise MINUTES_AHEAD');
  await writeFile(`/proc/${manager.pid}/clear_refs`, '5'); // the peak is measured anew
  await pause(due.getTime() - Date.now());
  const cpuAtDue = await cpuSeconds(manager);
  const isStarted = async () => {
    const started = await countOf(transport, pathOf(jobs, namespace));
    if (started === count) return;
    const lastLine = JSON.stringify(manager.lines.at(-1));
    throw new Error(`${started} of ${count} are started; the manager said last: ${lastLine}`);
  };
  await eventually(isStarted, { intervalMs: 500, timeoutMs: BURST_TIMEOUT_MS });
  const burstSeconds = (Date.now() - due.getTime()) / 1000;
  await pause(SETTLE_MS);
  return {
    startPeakMiB,
    idleMiB,
    burstPeakMiB: await memoryMiB(manager, 'VmHWM'),
    burstCpuSeconds: (await cpuSeconds(manager)) - cpuAtDue,
    burstSeconds,
    afterMiB: await memoryMiB(manager, 'VmRSS'),
  };
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

const given = process.argv.slice(2).map(Number);
await main(kubeconfig, given.length > 0 ? given : COUNTS);
