/** Another CRD of our kind, such as that of the kubebuilder tutorial: it accepts objects that ours refuses. */
import type { LiveClient, NewObject, Resource } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect } from 'vitest';
import { MAX_SCHEDULE_LENGTH } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { PLURAL } from '../../../api/v1/groupversion.ts';
import { cronJobs } from '../../../controllers/resources.ts';
import { cronJob } from '../../support/cron-jobs.ts';
import { type CrdVersions, crds, OUR_CRD, type StoredCrd } from '../../support/custom-resource-definitions.ts';

const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const version = { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } };
const VERSIONS = [version] as object as CrdVersions; // without printer columns

/** That CRD in a separate group, so that its replacement by ours does not affect other tests on the same API server. */
export class TutorialCrd implements AsyncDisposable {
  readonly resource: Resource<CronJob>;
  readonly #client: LiveClient;
  readonly #namespace: string;

  private constructor(client: LiveClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.resource = { ...cronJobs, group: `${namespace}.example.com` };
  }

  static async install(client: LiveClient, namespace: string): Promise<TutorialCrd> {
    const crd = new TutorialCrd(client, namespace);
    const { shortNames: _, ...names } = OUR_CRD.spec.names;
    const crdSpec = { ...OUR_CRD.spec, group: crd.resource.group, names, versions: VERSIONS };
    await client.create(crds, { ...OUR_CRD, metadata: crd.#key, spec: crdSpec } as NewObject<StoredCrd>);
    await eventually(() => crd.create({}, {}, { dryRun: true }));
    return crd;
  }

  /** Replaces it with our CRD; resolves once the API server enforces ours. */
  async replaceWithOurs(): Promise<void> {
    const { versions } = OUR_CRD.spec;
    await this.#client.patch(crds, this.#key, { kind: 'merge', body: { spec: { versions } } });
    const tooLong = { schedule: '0'.repeat(MAX_SCHEDULE_LENGTH + 1) };
    await eventually(() => expect(this.create(tooLong, {}, { dryRun: true })).rejects.toMatchObject({ code: 422 }));
  }

  /** Creates a CronJob that is valid except for `spec` and `metadata`, and returns it as it was stored. */
  create(
    spec: Partial<CronJob['spec']>,
    metadata: { readonly name?: string; readonly finalizers?: readonly string[] },
    options: { readonly dryRun?: boolean } = {},
  ): Promise<CronJob> {
    const { group, version } = this.resource;
    const object = {
      ...cronJob(spec),
      apiVersion: `${group}/${version}` as CronJob['apiVersion'],
      metadata: { name: 'hello', namespace: this.#namespace, ...metadata },
    };
    return this.#client.create(this.resource, object, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.delete(crds, this.#key);
  }

  get #key(): { readonly name: string } {
    return { name: `${PLURAL}.${this.resource.group}` };
  }
}
