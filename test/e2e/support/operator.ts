/** The operator as deployed in the site: actions of users with kubectl, and a client for repeated reads. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coordination, core, type Pod } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { expect, inject } from 'vitest';
import { type ClusterClient, connect } from '../../support/cluster-client.ts';
import { createKubectl, type Manifest } from '../../support/manifests.ts';
import type { Site } from './site.ts';

const { pods } = core.v1;
const { leases } = coordination.v1;

/** Namespace in config/default. */
export const NAMESPACE = 'cronjob-operator-system';
export const DEPLOYMENT = 'deployment/cronjob-operator-controller-manager';
/** Namespace of the tests' CronJobs. */
export const WORK_NAMESPACE = 'cronjob-operator-e2e';
/** The user name of the manager. */
export const SERVICE_ACCOUNT = 'cronjob-operator-controller-manager';
const PODS = 'control-plane=controller-manager,app.kubernetes.io/name=cronjob-operator';
const LEASE = { namespace: NAMESPACE, name: 'cronjob-controller.batch.tutorial.kubebuilder.io' };
/** Pods start, leases expire, controllers discover new kinds every half minute; a busy machine is slow, and so is kubectl. */
export const PATIENCE = { timeoutMs: 240_000, intervalMs: 500 };

export class Operator implements AsyncDisposable {
  readonly site: Site;
  readonly kubectl: ReturnType<typeof createKubectl>;
  readonly #cluster: ClusterClient;
  readonly #folder = mkdtempSync(join(tmpdir(), 'e2e-'));

  /** Objects that existed before the deployment, for example those of Kubernetes' own CronJobs. */
  #existingObjects: readonly string[] = [];

  private constructor(site: Site) {
    this.site = site;
    this.kubectl = createKubectl({
      kubectl: inject('kubectl'),
      kubeconfig: inject('kubeconfig'),
      cacheFolder: join(this.#folder, 'cache'),
    });
    this.#cluster = connect(inject('kubeconfig'));
  }

  /** Nothing is deployed yet. */
  static async connect(site: Site): Promise<Operator> {
    const operator = new Operator(site);
    operator.#existingObjects = await operator.#listObjects();
    await operator.kubectl('create', 'namespace', WORK_NAMESPACE);
    return operator;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kubectl('delete', 'namespace', WORK_NAMESPACE);
    await this.#cluster[Symbol.asyncDispose]();
    await this.site[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** kubectl in the namespace of the tests' CronJobs. */
  kubectlInWork(...args: readonly string[]): Promise<string> {
    return this.kubectl(`--namespace=${WORK_NAMESPACE}`, ...args);
  }

  /** `kubectl apply -f` with a text; resolves to its output, line by line. */
  async apply(manifests: string, ...flags: readonly string[]): Promise<readonly string[]> {
    return (await this.kubectl('apply', '-f', this.#file(manifests), ...flags)).trim().split('\n');
  }

  /**
   * Objects that kubectl finds with these arguments. Frequent reads use {@link client}: two processors cannot run many kubectl processes.
   */
  async get(...args: readonly string[]): Promise<readonly Manifest[]> {
    const found = JSON.parse(await this.kubectl('get', ...args, '--output=json'));
    return found.items ?? [found];
  }

  get client(): ClusterClient['client'] {
    return this.#cluster.client;
  }

  /** The Pods of the manager, including terminating Pods. */
  async allPods(): Promise<readonly Pod[]> {
    return await this.client.list(pods, { namespace: NAMESPACE, labelSelector: PODS });
  }

  /** The Pods of the manager that are not terminating. */
  async pods(): Promise<readonly Pod[]> {
    return (await this.allPods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Number of container restarts of each of these Pods, by the Pod's name. */
  async countRestarts(): Promise<Readonly<Record<string, number>>> {
    const found = await this.pods();
    return Object.fromEntries(
      found.map((pod) => [pod.metadata.name, pod.status?.containerStatuses?.[0]?.restartCount ?? Number.NaN]),
    );
  }

  /** Resolves when every replica has the newest template and is ready, and no other Pod is left: a terminating Pod still works. */
  async waitUntilReady(): Promise<void> {
    await this.kubectl('rollout', 'status', DEPLOYMENT, `--namespace=${NAMESPACE}`, '--timeout=110s');
    await eventually(async () => expect(await this.allPods()).toHaveLength(2), PATIENCE);
  }

  /** Adds an argument to the manager, and waits until both replicas have it. */
  async restartWith(argument: string): Promise<void> {
    const change = [{ op: 'add', path: '/spec/template/spec/containers/0/args/-', value: argument }];
    const patch = `--patch=${JSON.stringify(change)}`;
    await this.kubectl('patch', DEPLOYMENT, `--namespace=${NAMESPACE}`, '--type=json', patch);
    await this.waitUntilReady();
  }

  /** Name of the leading Pod. Waits for a Pod that holds the lease. */
  async findLeader(): Promise<string> {
    return await eventually(async () => {
      const holder = await this.getLeaseHolder();
      const names = (await this.pods()).map(({ metadata }) => metadata.name);
      const leader = names.find((name) => holder.startsWith(name));
      if (leader === undefined) throw new Error(`"${holder}" leads, but the Pods are ${names.join(', ')}`);
      return leader;
    }, PATIENCE);
  }

  /** The lease holder: a process. A Pod may have several processes, one after the other. */
  async getLeaseHolder(): Promise<string> {
    return (await this.client.get(leases, LEASE))?.spec?.holderIdentity ?? '';
  }

  /** Objects of every kind with our name that did not exist before, in any namespace except that of the tests. */
  async listTraces(): Promise<readonly string[]> {
    return (await this.#listObjects()).filter((title) => !this.#existingObjects.includes(title));
  }

  async #listObjects(): Promise<readonly string[]> {
    const kinds = (await this.kubectl('api-resources', '--verbs=list', '--output=name')).trim().split('\n');
    const listedKinds = kinds.filter((kind) => !kind.startsWith('events')).join(',');
    const columns = 'custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name';
    const found = await this.kubectl('get', listedKinds, '--all-namespaces', '--no-headers', `--output=${columns}`);
    const titles = found.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '));
    return titles.filter((title) => /cronjob|tutorial\.kubebuilder/.test(title.replace(WORK_NAMESPACE, '')));
  }

  #file(text: string): string {
    const file = join(mkdtempSync(join(this.#folder, 'manifests-')), 'manifests.yaml');
    writeFileSync(file, text);
    return file;
  }
}
