/** The CronJobRuns on the simulated API server. */
import type { CronJobRun, CronJobRunSpec, CronJobRunStatus } from '../../api/v1/cronjobrun-types.ts';
import { RUN_KIND } from '../../api/v1/cronjobrun-types.ts';
import { API_VERSION } from '../../api/v1/groupversion.ts';
import type { DeleteOptions, StatusUpdate } from '../../runtime/client/client.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import { formatKey, type ObjectKey } from '../../runtime/kubernetes/resource.ts';
import { ObjectCollection } from './collection.ts';
import type { Actor } from './observed-reconcile.ts';
import { apiTime, conflict, notFound, withDeletion } from './simulated-cluster.ts';

const USER: Actor = { kind: 'Person' };

export class RequestStorage {
  readonly objects = new ObjectCollection<CronJobRun>();
  readonly #clock: Clock;
  /** Keys of the CronJobs by the keys of their CronJobRuns, including deleted CronJobRuns. */
  readonly #cronJobKeys = new Map<string, string>();
  #lastVersion = 0;
  #lastUid = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  create(key: Required<ObjectKey>, spec: CronJobRunSpec, labels: Readonly<Record<string, string>> = {}): CronJobRun {
    this.#lastUid++;
    this.#cronJobKeys.set(formatKey(key), formatKey({ ...key, name: spec.cronJobName }));
    const identity = { uid: `request-${this.#lastUid}`, resourceVersion: this.#nextVersion() };
    const creationTimestamp = apiTime(this.#clock.now());
    const metadata = { ...key, ...identity, creationTimestamp, generation: 1, labels };
    return this.objects.put({ apiVersion: API_VERSION, kind: RUN_KIND, metadata, spec }, USER);
  }

  getCronJobKey(requestKey: string): string {
    return this.#cronJobKeys.get(requestKey) ?? requestKey;
  }

  listOf(cronJobKey: string): readonly CronJobRun[] {
    return this.objects.list().filter((request) => this.getCronJobKey(formatKey(request)) === cronJobKey);
  }

  suspend(key: string, suspend: boolean): void {
    const old = this.objects.get(key);
    if (old === undefined || old.spec.suspend === suspend) return;
    const generation = (old.metadata.generation ?? 0) + 1;
    const metadata = { ...old.metadata, generation, resourceVersion: this.#nextVersion() };
    this.objects.put({ ...old, metadata, spec: { ...old.spec, suspend } }, USER);
  }

  /** Another controller writes to the CronJobRun. */
  touch(key: string): void {
    const old = this.objects.get(key);
    if (old === undefined) return;
    const resourceVersion = this.#nextVersion();
    const annotations = { ...old.metadata.annotations, 'example.com/seen': resourceVersion };
    this.objects.put({ ...old, metadata: { ...old.metadata, annotations, resourceVersion } }, USER);
  }

  /** A finalizer of another controller keeps the CronJobRun. */
  markDeleted(key: string): void {
    const old = this.objects.get(key);
    if (old === undefined || old.metadata.deletionTimestamp !== undefined) return;
    const metadata = withDeletion(old.metadata, { now: this.#clock.now(), resourceVersion: this.#nextVersion() });
    this.objects.put({ ...old, metadata }, USER);
  }

  remove(key: string): void {
    this.objects.remove(key, USER);
  }

  /** @returns The UID of the deleted CronJobRun. */
  delete(key: ObjectKey, { preconditions }: DeleteOptions, by: Actor): string {
    const stored = this.objects.get(formatKey(key));
    if (stored === undefined) throw notFound(key.name);
    const { uid } = stored.metadata;
    if (preconditions?.uid !== undefined && preconditions.uid !== uid) throw conflict('the UID does not match');
    this.objects.remove(formatKey(key), by);
    return uid;
  }

  updateStatus({ metadata, status }: StatusUpdate<CronJobRun>, by: Actor): CronJobRun {
    const stored = this.objects.get(formatKey(metadata));
    if (stored === undefined) throw notFound(metadata.name);
    const isSame = stored.metadata.uid === metadata.uid && stored.metadata.resourceVersion === metadata.resourceVersion;
    if (!isSame) throw conflict('the object has been modified');
    const plain: CronJobRunStatus = JSON.parse(JSON.stringify(status));
    const resourceVersion = this.#nextVersion();
    return this.objects.put({ ...stored, metadata: { ...stored.metadata, resourceVersion }, status: plain }, by);
  }

  #nextVersion(): string {
    this.#lastVersion++;
    return String(this.#lastVersion);
  }
}
