/**
 * What one namespace whose Job webhook hangs for ten seconds costs another one: 200 CronJobs there and 50 here, all every
 * ten seconds, and a manager that leads.
 *
 *     npm run bench:isolation            (or with a number of slots: npm run bench:isolation -- 6)
 *
 * Prints for each slot how long after it the last Job of the 50 was created, and how long the lease went without a renewal.
 * Linux only: memory is read from /proc.
 */
import { readFile } from 'node:fs/promises';
import type { Resource } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { type AdmissionCall, AdmissionGate, JOB_CREATES } from '../support/admission-gate.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { leases } from '../support/leases.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { installDefinition } from './install-definition.ts';

const HANGING = { namespace: 'hanging', count: 200 };
const OTHER = { namespace: 'other', count: 50 };
const HANG_SECONDS = 10;
const PERIOD_MS = 10_000;
const SLOTS = 18;
const LEASE = { namespace: 'default', name: 'isolation' };
const LOOK_MS = 200;

const namespaces: Resource = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
/** Milliseconds between a slot and the create of its Job, by the number of the slot of each CronJob. */
class Delays {
  readonly #ofSlot = new Map<number, number[]>();
  readonly #slots = new Map<string, number>();

  /** @param call The create of a Job, just now. */
  note({ object, name }: AdmissionCall): void {
    const scheduledAt = object?.metadata.annotations?.[SCHEDULED_AT_ANNOTATION] ?? '';
    const cronJob = name.replace(/-\d+$/, '');
    const slot = this.#slots.get(cronJob) ?? 0;
    this.#slots.set(cronJob, slot + 1);
    this.#ofSlot.set(slot, [...(this.#ofSlot.get(slot) ?? []), Date.now() - Date.parse(scheduledAt)]);
  }

  of(slot: number): readonly number[] {
    return this.#ofSlot.get(slot) ?? [];
  }
}

const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) throw new Error('KUBECONFIG is not set: run this as `npm run bench:isolation`');

async function main(path: string, slots: number): Promise<void> {
  await using cluster = connect(path);
  await installDefinition(cluster.client);
  for (const { namespace } of [HANGING, OTHER]) {
    await cluster.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
  const delays = new Delays();
  await using gate = await AdmissionGate.open(cluster.client, {
    namespaces: [HANGING.namespace, OTHER.namespace],
    rules: [JOB_CREATES],
    timeoutSeconds: HANG_SECONDS,
    verdict: (call) => {
      if (call.namespace === HANGING.namespace) return 'hold';
      delays.note(call);
      return 'allow';
    },
  });
  const flags = [
    '--leader-elect',
    `--leader-election-namespace=${LEASE.namespace}`,
    `--leader-election-id=${LEASE.name}`,
  ];
  await using manager = new ManagerProcess(path, flags);
  await manager.logged('controller started');
  await createAll(cluster, HANGING);
  await createAll(cluster, OTHER);
  const atStartMiB = await residentMiB(manager);
  const watching = watchLease(cluster);
  console.log('| Slot | Last of the 50 created after | Creates that hang |\n| --- | --- | --- |');
  for (let slot = 0; slot < slots; slot++) {
    await eventually(() => throwUnlessComplete(delays.of(slot).length, slot, manager), { timeoutMs: 12 * PERIOD_MS });
    console.log(`| ${slot + 1} | ${Math.max(...delays.of(slot))} ms | ${gate.held} |`);
  }
  const { renewals, longestMs, transitions } = await watching.end();
  console.log(`lease: ${renewals} renewals seen, ${longestMs} ms between two at most, ${transitions} transitions`);
  console.log(`memory: ${atStartMiB.toFixed(0)} MiB before, ${(await residentMiB(manager)).toFixed(0)} MiB after`);
  const errors = manager.lines.filter(({ level }) => level === 'error');
  console.log(`errors logged: ${errors.length}${errors.length > 0 ? `, the first: ${JSON.stringify(errors[0])}` : ''}`);
}

async function createAll({ client }: ClusterClient, { namespace, count }: typeof HANGING): Promise<void> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'hello', image: 'busybox' }] } };
  const spec = { schedule: `@every ${PERIOD_MS / 1000}s`, jobTemplate: { spec: { template } } };
  const names = Array.from({ length: count }, (_, index) => `hello-${index}`);
  const manifest = (name: string) => ({ apiVersion: API_VERSION, kind: KIND, metadata: { name, namespace }, spec });
  // The server fills in the defaults.
  await Promise.all(names.map((name) => client.create(cronJobs, manifest(name) as unknown as CronJob)));
}

function throwUnlessComplete(created: number, slot: number, { lines }: ManagerProcess): void {
  if (created >= OTHER.count) return;
  const said = JSON.stringify(lines.at(-1));
  throw new Error(`slot ${slot + 1}: ${created} of ${OTHER.count} Jobs are created; the manager said last: ${said}`);
}

/** Looks at the lease several times a second, on what its holder wrote. */
function watchLease({ client }: ClusterClient) {
  const times = new Set<number>();
  let transitions = 0;
  const look = async () => {
    const lease = await client.get(leases, LEASE);
    if (lease === undefined) return;
    times.add(Date.parse(lease.spec.renewTime));
    transitions = lease.spec.leaseTransitions;
  };
  const looking = setInterval(() => void look(), LOOK_MS);
  return {
    end: async () => {
      clearInterval(looking);
      await look();
      const sorted = [...times].toSorted((left, right) => left - right);
      const gaps = sorted.slice(1).map((time, index) => time - (sorted[index] ?? time));
      return { renewals: times.size, longestMs: Math.max(0, ...gaps), transitions };
    },
  };
}

async function residentMiB({ pid }: ManagerProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

const [given = SLOTS] = process.argv.slice(2).map(Number);
await main(kubeconfig, given);
