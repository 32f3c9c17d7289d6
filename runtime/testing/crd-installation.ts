/** Reads and installs CustomResourceDefinitions. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { findApiError, isNotFound } from '../client/errors.ts';
import type { LiveClient } from '../client/live-client.ts';
import type { ClusterObject } from '../kubernetes/object.ts';
import { clusterResource, type Resource } from '../kubernetes/resource.ts';
import { eventually } from './eventually.ts';

/** A manifest of a CustomResourceDefinition, with the fields that the installation reads. */
export interface CrdManifest {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  /** Always `CustomResourceDefinition`. */
  readonly kind: typeof CRD_KIND;
  /** The name is `<plural>.<group>`. */
  readonly metadata: { readonly name: string };
  /** Fields that the installation does not read are sent unchanged. */
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly scope: 'Namespaced' | 'Cluster';
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

const CRD_KIND = 'CustomResourceDefinition';
const customResourceDefinitions = clusterResource<ClusterObject>('apiextensions.k8s.io/v1', CRD_KIND);

/** Returns the CRDs in a YAML or JSON file, or in all YAML and JSON files of a folder. Ignores other manifests. */
export function readCrds(path: string): readonly CrdManifest[] {
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => /\.(?:ya?ml|json)$/.test(name))
        .map((name) => join(path, name))
    : [path];
  const manifests = files.flatMap((file) =>
    parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as CrdManifest | null),
  );
  return manifests.filter((manifest) => manifest !== null).filter(({ kind }) => kind === CRD_KIND);
}

/**
 * Creates or updates CRDs, and waits until the API server serves all versions. Ignores errors of the conversion
 * webhook, because a test may install the webhook later.
 */
export async function installCrds(client: LiveClient, crds: readonly CrdManifest[]): Promise<void> {
  for (const crd of crds) await client.apply(customResourceDefinitions, crd, { force: true });
  for (const resource of crds.flatMap(listServedResources))
    await eventually(() => client.list(resource).catch(ignoreConversionError));
}

function ignoreConversionError(error: unknown): void {
  if (findApiError(error) === undefined || isNotFound(error)) throw error;
}

function listServedResources({ spec: { group, names, scope, versions } }: CrdManifest): readonly Resource[] {
  const { kind, plural } = names;
  return versions
    .filter(({ served }) => served)
    .map(({ name: version }) => ({ group, version, kind, plural, namespaced: scope === 'Namespaced' }));
}
