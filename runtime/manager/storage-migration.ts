/** Rewrites stored objects in the storage version of their CRD, so that older versions can be removed. */
import { isConflict, isNotFound } from '../client/errors.ts';
import { sleep } from '../clock/clock.ts';
import { apiextensions, type CustomResourceDefinition } from '../kubernetes/extensions.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { ResourceRule } from '../kubernetes/policy-rule.ts';
import { formatKey, objectKeyFromObject } from '../kubernetes/resource.ts';
import type { Kind } from '../schema/kind.ts';
import { BackOff } from '../workqueue/back-off.ts';
import type { Manager } from './manager.ts';
import type { Runnable } from './runnable-group.ts';

/** A manager, or the parts of a manager that a storage migration needs. `apiReader` must read from the API server. */
export type StorageMigrationHost = Pick<Manager, 'apiReader' | 'client' | 'log'>;

const { customResourceDefinitions } = apiextensions.v1;
const BACK_OFF_DELAYS = { baseDelayMs: 1_000, maxDelayMs: 300_000 };
/**
 * An API server does not show which storage version it uses, so only time tells that all of them use the new one. They
 * receive a changed CRD by a watch. For new CRDs, kube-apiserver itself waits 5 seconds (kubernetes
 * apiextensions-apiserver, customresource_handler.go: QueueCRD).
 */
const DEFAULT_DELAY_MS = 10_000;

/** Options of {@link storageMigration}. */
export interface StorageMigrationOptions {
  /**
   * Time from reading the CRD to the first write, in milliseconds. All replicas of the API server must use the new
   * storage version after this time. Default 10 seconds.
   */
  readonly delayMs?: number;
}

/**
 * Rewrites all objects of the kind in the storage version of its CRD, and then removes the other versions from
 * `status.storedVersions`. The next release of the operator can then remove a version that is no longer served. Does
 * nothing if the storage version is the only stored version. You can stop the migration at any time and run it again.
 *
 * Resolves to the number of rewritten objects. If an object cannot be rewritten, first rewrites all other objects and
 * then rejects. Call the function only after all replicas of the API server use the current storage version.
 */
export async function migrateStorage(
  host: StorageMigrationHost,
  kind: Kind,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const { apiReader, log } = host;
  const crd = await readCrd(host, kind, signal);
  const storageVersion = getStorageVersion(crd);
  if (!hasOldStoredVersions(crd, storageVersion)) return 0;
  const logFields = { crd: crd.metadata.name, storageVersion };
  log.info('storage migration started', { ...logFields, storedVersions: crd.status?.storedVersions });
  // The client calls `parse` for each page before it reads the next page, so only the keys of the objects stay in
  // memory.
  const toKey = ({ apiVersion, kind, metadata: { name, namespace } }: KubernetesObject) =>
    ({ apiVersion, kind, metadata: { name, namespace } }) as KubernetesObject;
  const objects = await apiReader.list<KubernetesObject>({ ...kind, parse: toKey }, { signal });
  await rewriteObjects(host, kind, objects, signal);
  await removeOldStoredVersions(host, kind, storageVersion, signal);
  log.info('storage migration finished', { ...logFields, objects: objects.length });
  return objects.length;
}

/**
 * Returns a runnable that runs {@link migrateStorage} for each kind, and retries failed migrations:
 * `manager.addController(storageMigration(manager, [Website]))`. Adds the permissions of the migration to the generated role. The
 * migration starts when the manager becomes the leader. A CRD that is applied later is migrated at the next restart.
 *
 * Before the first write, the runnable waits until all replicas of the API server use the storage version, so you can
 * apply the CRD together with the Deployment of the manager.
 */
export function storageMigration(
  manager: Manager,
  kinds: readonly Kind[],
  { delayMs = DEFAULT_DELAY_MS }: StorageMigrationOptions = {},
): Runnable {
  const { clock, log } = manager;
  manager.addRules(createRules(kinds));
  const backOff = new BackOff(clock, BACK_OFF_DELAYS);
  const migrate = async (kind: Kind, signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        const crd = await readCrd(manager, kind, signal);
        if (hasOldStoredVersions(crd, getStorageVersion(crd))) await sleep(clock, delayMs, signal);
        return void (await migrateStorage(manager, kind, signal));
      } catch (error) {
        if (signal.aborted) return;
        const waitMs = backOff.recordFailure(kind.kind, undefined);
        log.error('storage migration failed, will retry', error, { kind: kind.kind, waitMs });
        await sleep(clock, waitMs, signal);
      }
    }
  };
  return { start: async (signal) => void (await Promise.all(kinds.map((kind) => migrate(kind, signal)))) };
}

function createRules(kinds: readonly Kind[]): readonly ResourceRule[] {
  const { group, plural } = customResourceDefinitions;
  const resourceNames = kinds.map(getCrdName);
  return [
    ...kinds.map((kind) => ({ group: kind.group, resources: [kind.plural], verbs: ['list', 'patch'] }) as const),
    { group, resources: [plural], resourceNames, verbs: ['get'] },
    { group, resources: [`${plural}/status`], resourceNames, verbs: ['patch'] },
  ];
}

/**
 * Sends an empty patch for each object. The API server then stores the object again if the object was stored in another
 * version. The patch contains no fields, so it cannot revert changes of other clients.
 */
async function rewriteObjects(
  { client }: StorageMigrationHost,
  kind: Kind,
  objects: readonly KubernetesObject[],
  signal: AbortSignal,
): Promise<void> {
  const failures: { readonly key: string; readonly error: unknown }[] = [];
  for (const object of objects) {
    try {
      await client.patch(kind, objectKeyFromObject(object), { kind: 'merge', body: {} }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      // A conflict means that another client has stored the object in the meantime.
      if (!isNotFound(error) && !isConflict(error)) failures.push({ key: formatKey(object), error });
    }
  }
  const [first] = failures;
  if (first === undefined) return;
  const { key, error } = first;
  throw new Error(`rewrite ${failures.length} of ${objects.length} ${kind.plural}; the first is ${key}`, {
    cause: error,
  });
}

async function removeOldStoredVersions(
  host: StorageMigrationHost,
  kind: Kind,
  storageVersion: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const crd = await readCrd(host, kind, signal);
    if (getStorageVersion(crd) !== storageVersion)
      throw new Error(`the storage version of ${crd.metadata.name} changed during the migration`);
    if (!hasOldStoredVersions(crd, storageVersion)) return;
    const { name, resourceVersion } = crd.metadata;
    // The resource version prevents the removal of a version that became the storage version in the meantime.
    const body = { metadata: { resourceVersion }, status: { storedVersions: [storageVersion] } };
    try {
      const options = { subresource: 'status', signal };
      await host.client.patch(customResourceDefinitions, { name }, { kind: 'merge', body }, options);
      return;
    } catch (cause) {
      if (!isConflict(cause)) throw new Error(`patch the status of CustomResourceDefinition ${name}`, { cause });
    }
  }
}

async function readCrd(
  { apiReader }: StorageMigrationHost,
  kind: Kind,
  signal: AbortSignal,
): Promise<CustomResourceDefinition> {
  const name = getCrdName(kind);
  const crd = await apiReader.get(customResourceDefinitions, { name }, { signal });
  if (crd === undefined) throw new Error(`CustomResourceDefinition ${name} does not exist`);
  return crd;
}

function getCrdName({ plural, group }: Kind): string {
  return `${plural}.${group}`;
}

function getStorageVersion({ spec }: CustomResourceDefinition): string {
  return spec.versions.find(({ storage }) => storage)?.name ?? '';
}

function hasOldStoredVersions({ status }: CustomResourceDefinition, storageVersion: string): boolean {
  return (status?.storedVersions ?? []).some((version) => version !== storageVersion);
}
