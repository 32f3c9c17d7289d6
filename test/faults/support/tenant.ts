/**
 * A namespace with CronJobs, and a manager for this namespace only, behind a separate proxy. Faults of one tenant of a rig do not affect
 * the others, so long faults can run at the same time.
 */
import { ApiProxy } from './api-proxy.ts';
import type { CreatedJob } from './audit-history.ts';
import { countByPolicy, type FaultResultRow } from './results.ts';
import type { Rig } from './rig.ts';
import type { SupervisedManager } from './supervised-manager.ts';

export const EVERY_SECONDS = 5;
/** CronJobs of each policy, with Jobs of each length. */
const COUNT = 9;
/** A request times out after 65 s; in addition a back-off, and two slots. */
const BOUND_MS = 150_000;

export interface TenantStart {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Path of a kubeconfig for another connection to the API server than its proxy. */
  readonly kubeconfig?: string;
  /** Additional namespaces of its manager. */
  readonly alsoSees?: readonly string[];
}

/** Times in milliseconds since 1970. */
export interface FaultTimes {
  readonly startedMs: number;
  /** Absent for a fault that does not end. */
  readonly endedMs?: number;
}

export class Tenant {
  readonly namespace: string;
  readonly proxy: ApiProxy;
  readonly #rig: Rig;
  #manager: SupervisedManager | undefined;

  private constructor(rig: Rig, namespace: string, proxy: ApiProxy) {
    this.namespace = namespace;
    this.proxy = proxy;
    this.#rig = rig;
  }

  /** Does not start its manager. The rig ends the manager; the proxy lives as long as this process. */
  static async open(rig: Rig, namespace: string): Promise<Tenant> {
    await rig.createWorkload({ namespace, count: COUNT, everySeconds: EVERY_SECONDS });
    return new Tenant(rig, namespace, await ApiProxy.start(rig.connection));
  }

  get manager(): SupervisedManager {
    if (this.#manager === undefined) throw new Error(`the manager of ${this.namespace} was not started`);
    return this.#manager;
  }

  /** There is no standby, and a slow machine does not cost it the lease. */
  async startManager({ alsoSees = [], flags = [], ...start }: TenantStart = {}): Promise<void> {
    const { proxy, namespace } = this;
    const own = ['--leader-elect=false', `--namespaces=${[namespace, ...alsoSees]}`];
    this.#manager = await this.#rig.startManager({ proxy, flags: [...own, ...flags], ...start });
  }

  /** Jobs that were ever stored in the namespace. */
  get listCreatedJobs(): readonly CreatedJob[] {
    return this.#rig.history.jobsIn(this.namespace);
  }

  /** @see Rig.waitUntilWellThrough */
  waitUntilWellThrough(throughMs: number, boundMs = BOUND_MS): Promise<void> {
    return this.#rig.waitUntilWellThrough(throughMs, { namespace: this.namespace, boundMs });
  }

  /** @see Rig.waitForRunsAfter */
  waitForRunsAfter(afterMs: number): Promise<void> {
    return this.#rig.waitForRunsAfter(afterMs, { namespace: this.namespace, boundMs: BOUND_MS });
  }

  /** Resolves when every CronJob runs again, and no run up to then is lost or doubled. */
  async waitUntilWellAfter(ms: number): Promise<void> {
    await this.waitForRunsAfter(ms);
    await this.waitUntilWellThrough(ms);
  }

  /** Data for the results. Call it after full recovery. */
  createRow(fault: string, { startedMs, endedMs }: FaultTimes): FaultResultRow {
    const runs = countByPolicy(
      this.listCreatedJobs.filter(({ owner, requestedMs }) => owner !== '' && requestedMs >= startedMs),
    );
    if (endedMs === undefined) return { fault, times: 1, runs };
    return { fault, times: 1, runs, recoveredAfterSeconds: Math.round((Date.now() - endedMs) / 100) / 10 };
  }

  /** The maximum delay of the Jobs of the slots since `sinceMs`, in milliseconds. */
  async measureLatestStart(sinceMs: number): Promise<number> {
    await this.#rig.history.read();
    return Math.max(
      ...this.listCreatedJobs.flatMap(({ requestedMs, slotMs = 0 }) =>
        slotMs < sinceMs ? [] : [requestedMs - slotMs],
      ),
    );
  }
}
