/** The verbs that write a CronJob, each as a dry run. */
import { randomUUID } from 'node:crypto';
import { type Resource, resourcePath } from 'controller-runtime/kubernetes';
import { API_VERSION, KIND } from '../../../api/v1/groupversion.ts';
import { cronJobs } from '../../../controllers/resources.ts';
import type { RawApi, RawRequest, RawResponse } from './raw-api.ts';

export const batchCronJobs: Resource = {
  group: 'batch',
  version: 'v1',
  kind: KIND,
  plural: 'cronjobs',
  namespaced: true,
};
const MANAGER = 'fieldManager=tester';

export interface RawCronJob {
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly managedFields: readonly unknown[];
  };
  readonly spec: object;
}

interface RawApplyOptions {
  readonly query?: string;
  /** Fields besides the name. */
  readonly metadata?: object;
}

/** The CronJobs of one kind in a namespace. */
export class CronJobEndpoint {
  readonly kind: Resource;
  readonly #api: RawApi;
  readonly #namespace: string;

  constructor(api: RawApi, namespace: string, kind: Resource = cronJobs) {
    this.#api = api;
    this.#namespace = namespace;
    this.kind = kind;
  }

  manifest(name: string, spec: unknown, metadata: object = {}): object {
    const apiVersion = this.kind === batchCronJobs ? 'batch/v1' : API_VERSION;
    return { apiVersion, kind: KIND, metadata: { ...metadata, name, namespace: this.#namespace }, spec };
  }

  /** Stores a CronJob. Throws when the API server refuses it. */
  async create(spec: unknown): Promise<RawCronJob> {
    const { code, body } = await this.#send({ method: 'POST', body: this.manifest(`given-${randomUUID()}`, spec) });
    if (code !== 201) throw new Error(body.message);
    return body;
  }

  /** Server-side apply, as `kubectl apply --server-side` does. */
  apply(name: string, spec: unknown, { query = '', metadata }: RawApplyOptions = {}): Promise<RawResponse<RawCronJob>> {
    const contentType = 'application/apply-patch+yaml';
    const body = this.manifest(name, spec, metadata);
    return this.#send({ method: 'PATCH', contentType, body, query: `force=true&${query}` }, name);
  }

  /** Tries to set this spec in a CronJob, with every verb. */
  async tryAll({ metadata }: RawCronJob, spec: unknown): Promise<Readonly<Record<string, RawResponse<RawCronJob>>>> {
    const { name, resourceVersion } = metadata;
    const update = { ...this.manifest(name, spec), metadata: { name, resourceVersion } };
    const sendDryRun = (request: Omit<RawRequest, 'path'>, at?: string) =>
      this.#send({ query: 'dryRun=All', ...request }, at);
    const patch = (type: string, body: unknown) =>
      sendDryRun({ method: 'PATCH', contentType: `application/${type}`, body }, name);
    const responses = {
      create: sendDryRun({ method: 'POST', body: this.manifest('new', spec) }),
      update: sendDryRun({ method: 'PUT', body: update }, name),
      'merge patch': patch('merge-patch+json', { spec }),
      'JSON patch': patch('json-patch+json', [{ op: 'add', path: '/spec', value: spec }]),
      'server-side apply': this.apply(name, spec, { query: 'dryRun=All' }),
      'server-side apply of a new one': this.apply('new', spec, { query: 'dryRun=All' }),
    };
    const entries = Object.entries(responses).map(async ([verb, response]) => [verb, await response] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  #send(request: Omit<RawRequest, 'path'>, name?: string): Promise<RawResponse<RawCronJob>> {
    const path = resourcePath(this.kind, this.#namespace, name);
    return this.#api.send({ ...request, path, query: `fieldValidation=Strict&${MANAGER}&${request.query ?? ''}` });
  }
}
