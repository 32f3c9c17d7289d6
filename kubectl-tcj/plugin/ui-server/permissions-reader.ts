/** Reads the permissions of the user from the API server. */
import type { Clock } from 'controller-runtime';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import { isAllowed } from '../access-review.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { isCronJobRunCrdInstalled, mayCreateCronJobRuns } from '../cron-job-runs.ts';
import type { Permissions } from './page-messages.ts';

/**
 * The lifetime of cached permissions. Permissions seldom change, and the page requests the permissions each time a user
 * opens a CronJob.
 */
const CACHE_LIFETIME_MS = 60_000;
const MAX_NAMESPACES = 1000;

interface CachedPermissions {
  readonly readAtMs: number;
  readonly permissions: Promise<Permissions>;
}

export class PermissionsReader {
  readonly #session: ClusterSession;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #cache = new Map<string, CachedPermissions>();

  constructor(session: ClusterSession, clock: Clock, signal: AbortSignal) {
    this.#session = session;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** @param namespace The namespace, or an empty string for all namespaces. */
  read(namespace: string): Promise<Permissions> {
    const nowMs = this.#clock.monotonicMs();
    const cached = this.#cache.get(namespace);
    if (cached !== undefined && nowMs - cached.readAtMs < CACHE_LIFETIME_MS) return cached.permissions;
    if (this.#cache.size >= MAX_NAMESPACES) this.#cache.clear();
    const entry = { readAtMs: nowMs, permissions: this.#fetch(namespace) };
    this.#cache.set(namespace, entry);
    entry.permissions.catch(() => {
      if (this.#cache.get(namespace) === entry) this.#cache.delete(namespace);
    });
    return entry.permissions;
  }

  async #fetch(namespace: string): Promise<Permissions> {
    const hasPermission = (verb: string, group: string, resource: string, subresource?: string) =>
      isAllowed(this.#session.client, { namespace, verb, group, resource, subresource }, this.#signal);
    const [patchCronJobs, createRuns, listPods, readLogs] = await Promise.all([
      hasPermission('patch', GROUP, PLURAL),
      this.#canCreateRuns(namespace),
      hasPermission('list', '', 'pods'),
      hasPermission('get', '', 'pods', 'log'),
    ]);
    return { patchCronJobs, createRuns, readLogs: listPods && readLogs };
  }

  async #canCreateRuns(namespace: string): Promise<boolean> {
    const access = { session: this.#session, signal: this.#signal };
    return (await mayCreateCronJobRuns(namespace, access)) && (await isCronJobRunCrdInstalled(namespace, access));
  }
}
