/** CronJobs and Jobs in etcd itself, past the API server: what a snapshot of etcd holds, and what another manager has left. */
import type { KubernetesObject } from 'controller-runtime';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';

interface KeyValue {
  /** Both are base64. */
  readonly key: string;
  readonly value: string;
}

/** Everything that is stored of the CronJobs and the Jobs of a namespace. */
export type Snapshot = readonly KeyValue[];

export class EtcdObjects {
  readonly #url: string;
  readonly #folders: readonly string[];
  readonly #namespace: string;

  constructor(url: string, namespace: string) {
    this.#url = url;
    this.#namespace = namespace;
    this.#folders = [`/registry/${GROUP}/${PLURAL}/${namespace}/`, `/registry/jobs/${namespace}/`];
  }

  /** Stores objects as they are, with their UIDs, times and statuses. */
  async put(objects: readonly KubernetesObject[]): Promise<void> {
    for (const object of objects) {
      const folder = object.kind === 'Job' ? 'jobs' : `${GROUP}/${PLURAL}`;
      const { resourceVersion: _, ...metadata } = object.metadata;
      const key = `/registry/${folder}/${this.#namespace}/${metadata.name}`;
      await this.#call('put', { key: base64(key), value: base64(JSON.stringify({ ...object, metadata })) });
    }
  }

  async snapshot(): Promise<Snapshot> {
    const found = await Promise.all(this.#folders.map((folder) => this.#call('range', rangeOf(folder))));
    return found.flatMap(({ kvs = [] }) => kvs.map(({ key, value }) => ({ key, value })));
  }

  /** What is there becomes what was there. */
  async restore(snapshot: Snapshot): Promise<void> {
    for (const folder of this.#folders) await this.#call('deleterange', rangeOf(folder));
    for (const each of snapshot) await this.#call('put', each);
  }

  async #call(method: string, body: object): Promise<{ readonly kvs?: readonly KeyValue[] }> {
    const response = await fetch(`${this.#url}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd ${method}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { readonly kvs?: readonly KeyValue[] }; // etcd's own API
  }
}

/** All keys that begin so: to the first one that does not. */
function rangeOf(folder: string): object {
  return { key: base64(folder), range_end: base64(folder.replace(/\/$/, '0')) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
