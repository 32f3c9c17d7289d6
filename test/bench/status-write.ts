/**
 * What writing a status costs the API server, under our CRD and under others: side by side on one API server, in turn.
 *
 *     npm run bench:status-write                       (or with other CRDs: npm run bench:status-write -- /tmp/atomic.yaml)
 *
 * Prints for each CRD the CPU and the memory that the API server took for a write: the least of all rounds, because other work on the
 * machine only adds to it. What was found is in docs/adr/0028-cost-of-a-status-write.md. Linux only: CPU is read from /proc.
 */
import { readdir, readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Resource } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { parse } from 'yaml';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';

const COUNT = 50;
const ROUNDS = 10;
const AT_ONCE = 8;
const CLOCK_TICKS_PER_SECOND = 100;
const OURS = 'config/crd/bases/batch.tutorial.kubebuilder.io_cronjobs.yaml';
const NAMESPACE = 'default';

const crds: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** A CRD under test, and its CronJobs as they were stored last. */
interface Subject {
  readonly file: string;
  readonly resource: Resource<CronJob>;
  stored: readonly CronJob[];
}

interface Cost {
  readonly cpuMs: number;
  readonly allocatedKiB: number;
}

const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) throw new Error('KUBECONFIG is not set: run this as `npm run bench:status-write`');

async function main(path: string, files: readonly string[]): Promise<void> {
  await using cluster = connect(path);
  const pid = await apiServerPid();
  const subjects: Subject[] = [];
  for (const file of files) subjects.push(await install(cluster, file, `v${subjects.length}.example.com`));
  const costs = new Map<string, Cost[]>(files.map((file) => [file, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const subject of subjects) costs.get(subject.file)?.push(await cost(cluster, pid, subject, round));
  }
  const least = (values: readonly number[]) => Math.min(...values).toFixed(1);
  const rows = [...costs].map(([file, of]) => [
    file,
    { 'CPU ms': least(of.map(({ cpuMs }) => cpuMs)), 'allocated KiB': least(of.map((each) => each.allocatedKiB)) },
  ]);
  console.table(Object.fromEntries(rows));
}

/** Installs the CRD with a group of its own, and creates CronJobs of it. */
async function install({ client }: ClusterClient, file: string, group: string): Promise<Subject> {
  const { apiVersion, kind, spec } = parse(await readFile(file, 'utf8'));
  const { shortNames: _, ...names } = spec.names;
  const crd = { apiVersion, kind, metadata: { name: `${names.plural}.${group}` }, spec: { ...spec, group, names } };
  await client.create(crds, crd);
  const resource: Resource<CronJob> = { ...cronJobs, group };
  await eventually(() => client.list(resource));
  const object = parse(await readFile('config/samples/nightly-backup.yaml', 'utf8'));
  const stored: CronJob[] = [];
  for (let index = 0; index < COUNT; index++) {
    const metadata = { name: `backup-${index}`, namespace: NAMESPACE };
    const created = { ...object, apiVersion: `${group}/${resource.version}`, metadata };
    stored.push(await client.create(resource, created));
  }
  return { file, resource, stored };
}

/** One status for each CronJob of the subject. */
async function cost({ client, transport }: ClusterClient, pid: string, subject: Subject, round: number): Promise<Cost> {
  const allocated = async () => {
    const metrics = await text(await transport.stream({ method: 'GET', path: '/metrics' }));
    return Number(/^go_memstats_alloc_bytes_total (\S+)/m.exec(metrics)?.[1]) / 1024;
  };
  const [empty, before] = [await allocated(), await allocated()];
  const cpuBefore = await cpuMs(pid);
  const { resource } = subject;
  const waiting = subject.stored.entries();
  const stored: CronJob[] = [];
  const write = async () => {
    for (const [index, { metadata }] of waiting) {
      stored[index] = await client.updateStatus(resource, { metadata, status: statusOf(metadata.name, round) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, write));
  subject.stored = stored;
  const cpu = (await cpuMs(pid)) - cpuBefore;
  const ofMetrics = before - empty;
  return { cpuMs: cpu / COUNT, allocatedKiB: ((await allocated()) - before - ofMetrics) / COUNT };
}

/** After a run was started, each round another one. */
function statusOf(name: string, round: number): CronJobStatus {
  const at = (hours: number) => new Date(Date.UTC(2026, 0, 1, hours)).toISOString().replace('.000Z', 'Z');
  const jobName = `${name}-${round}`;
  const condition = (type: string, status: 'True' | 'False') =>
    ({ type, status, reason: 'Tried', message: jobName, lastTransitionTime: at(0), observedGeneration: 1 }) as const;
  return {
    observedGeneration: 1,
    active: [{ apiVersion: 'batch/v1', kind: 'Job', namespace: NAMESPACE, name: jobName }],
    activeCount: 1,
    lastScheduleTime: at(round),
    nextScheduleTime: at(round + 1),
    handledThrough: at(round),
    lastRun: { jobName, scheduledTime: at(round), startTime: at(round), result: 'Running' },
    effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: at(0) },
    conditions: [condition('Available', 'True'), condition('Progressing', 'True'), condition('Degraded', 'False')],
  };
}

/** Of the API server that the same parent started. */
async function apiServerPid(): Promise<string> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (stat.includes('(kube-apiserver)') && fieldsOf(stat)[1] === String(process.ppid)) return pid;
  }
  throw new Error('no kube-apiserver beside this process: run this as `npm run bench:status-write`');
}

/** Of user and system together. */
async function cpuMs(pid: string): Promise<number> {
  const fields = fieldsOf(await readFile(`/proc/${pid}/stat`, 'utf8'));
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / CLOCK_TICKS_PER_SECOND;
}

/** From the third on: the second, a name, may have spaces. */
function fieldsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

await main(kubeconfig, [OURS, ...process.argv.slice(2)]);
