/** CronJobs and Jobs in etcd, without the API server: the content of a snapshot of etcd, or the objects of another manager. */
import type { KubernetesObject } from 'controller-runtime';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';

interface KeyValue {
  /** Key and value, both base64. */
  readonly key: string;
  readonly value: string;
}

/** All stored CronJobs and Jobs of a namespace. */
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

  /** Stores objects unchanged, with their UIDs, times and statuses. */
  async put(objects: readonly KubernetesObject[]): Promise<void> {
    for (const object of objects) {
      const folder = object.kind === 'Job' ? 'jobs' : `${GROUP}/${PLURAL}`;
      const { resourceVersion: _, ...metadata } = object.metadata;
      const key = `/registry/${folder}/${this.#namespace}/${metadata.name}`;
      await this.#call('put', { key: toBase64(key), value: toBase64(JSON.stringify({ ...object, metadata })) });
    }
  }

  async snapshot(): Promise<Snapshot> {
    const found = await Promise.all(this.#folders.map((folder) => this.#call('range', createRange(folder))));
    return found.flatMap(({ kvs = [] }) => kvs.map(({ key, value }) => ({ key, value })));
  }

  /** Replaces the current objects with the given ones. */
  async restore(snapshot: Snapshot): Promise<void> {
    for (const folder of this.#folders) await this.#call('deleterange', createRange(folder));
    for (const each of snapshot) await this.#call('put', each);
  }

  async #call(method: string, body: object): Promise<{ readonly kvs?: readonly KeyValue[] }> {
    const response = await fetch(`${this.#url}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd ${method}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { readonly kvs?: readonly KeyValue[] }; // the format of etcd's API
  }
}

/** The end of the range of all keys with this prefix. */
function createRange(folder: string): object {
  return { key: toBase64(folder), range_end: toBase64(folder.replace(/\/$/, '0')) };
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
