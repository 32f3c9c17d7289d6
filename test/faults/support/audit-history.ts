/** What really happened, from the API server's audit log: it is complete whatever the manager or the network did. */
import { open } from 'node:fs/promises';
import { SCHEDULED_AT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { kindOfCall } from './call.ts';

/** Bodies of what creates Jobs, and who asked for everything else. */
export const AUDIT_POLICY: object = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  omitManagedFields: true,
  rules: [
    { level: 'RequestResponse', verbs: ['create'], resources: [{ group: 'batch', resources: ['jobs'] }] },
    { level: 'Metadata' },
  ],
};

/** A Job that was stored. */
export interface CreatedJob {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** UID of the CronJob that controls it. */
  readonly owner: string;
  /** Milliseconds since 1970; absent for a Job that runs no scheduled time. */
  readonly slotMs?: number;
  /** When the API server was asked for it, in milliseconds since 1970. */
  readonly askedMs: number;
}

/** The part of an audit event that is read. */
interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly responseObject?: {
    readonly metadata?: {
      readonly uid: string;
      readonly name: string;
      readonly namespace: string;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
    };
  };
}

export class AuditHistory {
  readonly jobs: CreatedJob[] = [];
  /** How often each kind of call was made, by the user agent's first word. */
  readonly calls = new Map<string, Map<string, number>>();
  readonly #path: string;
  #position = 0;
  #rest = '';
  #reading: Promise<void> = Promise.resolve();

  /** @param path Of the log. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Reads what was written since the last time. */
  async read(): Promise<this> {
    // One after the other: each goes on where the one before has ended.
    this.#reading = this.#reading.then(() => this.#readOn());
    await this.#reading;
    return this;
  }

  jobsIn(namespace: string): readonly CreatedJob[] {
    return this.jobs.filter((job) => job.namespace === namespace);
  }

  /** The kinds of calls that a client has made. */
  kindsOf(client: string): readonly string[] {
    return [...(this.calls.get(client)?.keys() ?? [])].sort();
  }

  /** How many calls a client has made, of one kind or in all. */
  countOf(client: string, kind?: string): number {
    const counts = this.calls.get(client);
    if (kind !== undefined) return counts?.get(kind) ?? 0;
    return [...(counts?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }

  async #readOn(): Promise<void> {
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

  #note(event: AuditEvent): void {
    const { verb, requestURI, userAgent = '', objectRef, responseStatus, responseObject } = event;
    if (objectRef === undefined) return;
    const { resource, subresource } = objectRef;
    const isDryRun = requestURI.includes('dryRun=');
    const called = subresource === undefined ? resource : `${resource}/${subresource}`;
    const kind = kindOfCall({ verb, resource: called, isDryRun });
    const client = userAgent.split('/')[0] ?? '';
    const counts = this.calls.get(client) ?? new Map<string, number>();
    this.calls.set(client, counts.set(kind, (counts.get(kind) ?? 0) + 1));
    if (kind !== 'create jobs' || responseStatus?.code !== 201 || responseObject?.metadata === undefined) return;
    const { uid, name, namespace, annotations = {}, ownerReferences = [] } = responseObject.metadata;
    const slot = annotations[SCHEDULED_AT_ANNOTATION];
    const owner = ownerReferences.find(({ controller }) => controller === true)?.uid ?? '';
    const askedMs = Date.parse(event.requestReceivedTimestamp);
    this.jobs.push({ uid, name, namespace, owner, askedMs, ...(slot !== undefined && { slotMs: Date.parse(slot) }) });
  }
}
