/** CustomResourceDefinitions as API objects, and our CRD. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject, LiveClient, NewObject, Resource } from 'controller-runtime';
import type { CustomResourceDefinition } from 'controller-runtime/manifests';
import { type CrdManifest, eventually } from 'controller-runtime/testing';
import { parse } from 'yaml';
import { RUN_PLURAL } from '../../api/v1/cronjobrun-types.ts';
import { GROUP, PLURAL } from '../../api/v1/groupversion.ts';
import { cronJobRuns, cronJobs } from '../../controllers/resources.ts';
import { PROJECT } from './manifests.ts';

export type StoredCrd = KubernetesObject & Pick<CustomResourceDefinition, 'spec'>;
export type CrdVersions = StoredCrd['spec']['versions'];

export const crds: Resource<StoredCrd> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

function readCrd(plural: string): NewObject<StoredCrd> & CrdManifest {
  return parse(readFileSync(join(PROJECT, `config/crd/bases/${GROUP}_${plural}.yaml`), 'utf8'));
}

export const OUR_CRD = readCrd(PLURAL);
/** The CRDs of CronJobs and CronJobRuns. */
export const OUR_CRDS = [OUR_CRD, readCrd(RUN_PLURAL)];

/** Installs our CRD, or another one with its name; resolves when the API server serves CronJobs. */
export async function installCrd(client: LiveClient, versions: CrdVersions = OUR_CRD.spec.versions): Promise<void> {
  await client.create(crds, { ...OUR_CRD, spec: { ...OUR_CRD.spec, versions } });
  await eventually(() => client.list(cronJobs));
}

/** Installs a CRD of CronJobRuns that accepts any object; resolves when the API server serves them. */
export async function installPermissiveRunCrd(client: LiveClient): Promise<void> {
  const crd = readCrd(RUN_PLURAL);
  const [version] = crd.spec.versions;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
  await client.create(crds, { ...crd, spec: { ...crd.spec, versions: [{ ...version, schema: { openAPIV3Schema } }] } });
  await eventually(() => client.list(cronJobRuns));
}
