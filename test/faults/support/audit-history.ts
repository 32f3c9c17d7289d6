/** The real history, from the API server's audit log: it is complete after any fault of the manager or the network. */
import { open } from 'node:fs/promises';
import { GROUP, SCHEDULED_AT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { formatCallKind } from './call.ts';

/** Prefix of the manager's user agent. */
const MANAGER = 'cronjob-operator/';

/** Logs the bodies of requests that create Jobs, write statuses or write leases of elections, and the user of every other request. */
export const AUDIT_POLICY: object = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  omitManagedFields: true,
  rules: [
    { level: 'RequestResponse', verbs: ['create'], resources: [{ group: 'batch', resources: ['jobs'] }] },
    {
      level: 'RequestResponse',
      verbs: ['create', 'update'],
      resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }],
      namespaces: ['default'],
    },
    { level: 'Request', verbs: ['update'], resources: [{ group: GROUP, resources: ['cronjobs/status'] }] },
    { level: 'Metadata' },
  ],
};

/** A stored Job. */
export interface CreatedJob {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** UID of the CronJob that controls it. */
  readonly owner: string;
  /** Milliseconds since 1970; absent for a Job without a scheduled time. */
  readonly slotMs?: number;
  /** When the API server received the request, in milliseconds since 1970. */
  readonly requestedMs: number;
}

/** A stored lease. */
export interface LeaseWrite {
  readonly resourceVersion: string;
  /** Empty when the lease has no holder. */
  readonly holder: string;
  /** The lease duration from this write on. */
  readonly durationMs: number;
  /** When the API server received the request, in milliseconds since 1970. */
  readonly requestedMs: number;
}

interface StoredMetadata {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly resourceVersion: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
}

interface StatusRequest {
  readonly metadata?: Pick<StoredMetadata, 'uid'>;
  readonly status?: { readonly recentSkips?: readonly string[] };
}

/** The parts of an audit event that this module reads. */
interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly requestObject?: StatusRequest;
  readonly responseStatus?: { readonly code?: number };
  readonly responseObject?: { readonly metadata?: StoredMetadata; readonly spec?: LeaseSpec };
}

export class AuditHistory {
  readonly jobs: CreatedJob[] = [];
  readonly leases: LeaseWrite[] = [];
  /** Number of the manager's calls of each kind. */
  readonly calls = new Map<string, number>();
  /** Number of the manager's status writes of each CronJob, including failed ones, by namespace and name. */
  readonly statusWrites = new Map<string, number>();
  /**
   * All lines of `recentSkips` that were ever stored, by UID of the CronJob. A reader of statuses misses lines while the machine is
   * busy: a later status has dropped them.
   */
  readonly skipLines = new Map<string, Set<string>>();
  readonly #path: string;
  #position = 0;
  #rest = '';
  #reading: Promise<void> = Promise.resolve();

  /** @param path Path of the log. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the entries since the last call. */
  async read(): Promise<this> {
    // One after the other: each read continues at the end of the previous one.
    this.#reading = this.#reading.then(() => this.#readMore());
    await this.#reading;
    return this;
  }

  jobsIn(namespace: string): readonly CreatedJob[] {
    return this.jobs.filter((job) => job.namespace === namespace);
  }

  async #readMore(): Promise<void> {
    const file = await open(this.#path);
    try {
      for await (const chunk of file.createReadStream({ start: this.#position, encoding: 'utf8', autoClose: false })) {
        this.#position += Buffer.byteLength(chunk);
        const lines = (this.#rest + chunk).split('\n');
        this.#rest = lines.pop() ?? '';
        for (const line of lines) this.#note(JSON.parse(line));
      }
    } finally {
      await file.close();
    }
  }

  #noteSkips({ metadata, status }: StatusRequest = {}): void {
    const uid = metadata?.uid ?? '';
    const lines = this.skipLines.get(uid) ?? new Set();
    for (const line of status?.recentSkips ?? []) lines.add(line);
    this.skipLines.set(uid, lines);
  }

  #note(event: AuditEvent): void {
    const { verb, requestURI, userAgent = '', objectRef, requestObject, responseStatus } = event;
    if (objectRef === undefined) return;
    const { resource, subresource, namespace, name } = objectRef;
    const isDryRun = requestURI.includes('dryRun=');
    const caller = subresource === undefined ? resource : `${resource}/${subresource}`;
    const kind = formatCallKind({ verb, resource: caller, isDryRun });
    if (userAgent.startsWith(MANAGER)) {
      increment(this.calls, kind);
      if (kind === 'update cronjobs/status') increment(this.statusWrites, `${namespace}/${name}`);
    }
    const isStored = [200, 201].includes(responseStatus?.code ?? 0);
    if (isStored && kind === 'update cronjobs/status') this.#noteSkips(requestObject);
    if (isStored) this.#noteStored(kind, event);
  }

  #noteStored(kind: string, event: AuditEvent): void {
    const { metadata, spec = {} } = event.responseObject ?? {};
    if (metadata === undefined) return;
    const requestedMs = Date.parse(event.requestReceivedTimestamp);
    if (kind === 'create jobs') this.jobs.push(toCreatedJob(metadata, requestedMs));
    if (kind === 'create leases' || kind === 'update leases')
      this.leases.push(toLeaseWrite(metadata, spec, requestedMs));
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function toCreatedJob(metadata: StoredMetadata, requestedMs: number): CreatedJob {
  const { uid, name, namespace, annotations = {}, ownerReferences = [] } = metadata;
  const slot = annotations[SCHEDULED_AT_ANNOTATION];
  const owner = ownerReferences.find(({ controller }) => controller === true)?.uid ?? '';
  return { uid, name, namespace, owner, requestedMs, ...(slot !== undefined && { slotMs: Date.parse(slot) }) };
}

function toLeaseWrite({ resourceVersion }: StoredMetadata, spec: LeaseSpec, requestedMs: number): LeaseWrite {
  const { holderIdentity: holder = '', leaseDurationSeconds = 0 } = spec;
  return { resourceVersion, holder, durationMs: leaseDurationSeconds * 1000, requestedMs };
}
