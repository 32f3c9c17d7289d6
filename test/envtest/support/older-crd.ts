/** Objects that were stored under a CRD of ours that had fewer rules. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject, LiveClient, NewObject, Resource } from 'controller-runtime';
import type { CustomResourceDefinition } from 'controller-runtime/manifests';
import { eventually } from 'controller-runtime/testing';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import { cronJobs } from '../../../controllers/resources.ts';
import { cronJob } from '../../support/cron-jobs.ts';
import { PROJECT } from '../../support/manifests.ts';

type StoredCrd = KubernetesObject & Pick<CustomResourceDefinition, 'spec'>;

export const crds: Resource<StoredCrd> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

const TODAY = parse(
  readFileSync(join(PROJECT, `config/crd/bases/${GROUP}_${PLURAL}.yaml`), 'utf8'),
) as CustomResourceDefinition;

const LATER_KEYS = new Set(['x-kubernetes-validations', 'x-kubernetes-map-type']);

/** Fields of the status that the CRD of version 0.1.0 lacks. */
export const LATER_STATUS_FIELDS = [
  'recentRuns',
  'recentSkips',
  'consecutiveFailures',
  'paused',
  'lastResume',
  'successExpectedSince',
  'suspendedUntil',
] as const satisfies readonly (keyof CronJobStatus)[];

/** Fields of the spec that it lacks, each with a value. */
export const LATER_SPEC = {
  suspendUntil: '2026-01-01T00:00:00Z',
  recentRunsLimit: 5,
  startTimeoutSeconds: 300,
  expectSuccessWithinSeconds: 86_400,
  pauseAfterFailures: 3,
  runContext: 'Env',
} as const satisfies Partial<CronJobSpec>;

const LATER_FIELDS: ReadonlySet<string> = new Set([...LATER_STATUS_FIELDS, ...Object.keys(LATER_SPEC)]);

/** The CRD as version 0.1.0 had it: without the fields that came later. */
export function crdOfFirstVersion(): NewObject<StoredCrd> {
  const { apiVersion, kind, metadata, spec } = TODAY;
  const { versions } = spec;
  return {
    apiVersion,
    kind,
    metadata,
    spec: { ...spec, versions: without(versions, isLaterField) },
  } as object as NewObject<StoredCrd>;
}

type IsLater = (key: string, parent: string) => boolean;

const isLaterField: IsLater = (key) => LATER_FIELDS.has(key);

/** Schema keys that older CRDs lack, some or all: CEL rules, objects with one owner, the bound of the time zone, and fields. */
const isLater: IsLater = (key, parent) =>
  LATER_KEYS.has(key) || (parent === 'timeZone' && key === 'maxLength') || isLaterField(key, parent);

function without(node: unknown, later: IsLater, name = ''): unknown {
  if (Array.isArray(node)) return node.map((each) => without(each, later));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key]) => !later(key, name));
  return Object.fromEntries(kept.map(([key, value]) => [key, without(value, later, key)]));
}

/** CronJobs of a group of their own, so that other tests in the same API server do not notice that its CRD changes. */
export class OlderCrd implements AsyncDisposable {
  readonly resource: Resource<CronJob>;
  readonly #client: LiveClient;
  readonly #namespace: string;

  private constructor(client: LiveClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.resource = { ...cronJobs, group: `${namespace}.example.com` };
  }

  /** Installs our CRD without the rules and fields that came later, for `namespace`. */
  static async install(client: LiveClient, namespace: string): Promise<OlderCrd> {
    const older = new OlderCrd(client, namespace);
    const { apiVersion, kind, spec } = TODAY;
    const { group } = older.resource;
    const { shortNames: _, ...names } = spec.names;
    const olderSpec = { ...spec, group, names, versions: without(spec.versions, isLater) };
    await client.create(crds, { apiVersion, kind, metadata: older.#key, spec: olderSpec } as NewObject<StoredCrd>);
    await eventually(() => older.create({}, {}, { dryRun: true }));
    return older;
  }

  /** Installs the rules of today; resolves once the API server obeys them. */
  async upgrade(): Promise<void> {
    await this.#client.patch(crds, this.#key, { kind: 'merge', body: { spec: { versions: TODAY.spec.versions } } });
    const refused = () => this.create({ timeZone: 'x'.repeat(1000) }, { name: 'x'.repeat(60) }, { dryRun: true });
    await eventually(() => expect(refused()).rejects.toMatchObject({ code: 422 }));
  }

  /** Installs the CRD of version 0.1.0 over that of today; resolves once the API server obeys it. */
  async rollBack(): Promise<void> {
    const versions = without(TODAY.spec.versions, isLaterField) as typeof TODAY.spec.versions; // fewer fields
    await this.#client.patch(crds, this.#key, { kind: 'merge', body: { spec: { versions } } });
    await eventually(async () => {
      const { spec } = await this.create(LATER_SPEC, {}, { dryRun: true });
      expect(spec).not.toHaveProperty('suspendUntil');
    });
  }

  /** Creates a CronJob that is good but for `spec` and `metadata`, and returns it as it was stored. */
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
