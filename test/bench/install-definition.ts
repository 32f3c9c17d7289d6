import { readFile } from 'node:fs/promises';
import type { LiveClient, Resource } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { parse } from 'yaml';
import { cronJobs } from '../../controllers/resources.ts';

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** Installs the CRD; resolves when CronJobs can be made. */
export async function installDefinition(client: LiveClient): Promise<void> {
  const file = new URL('../../config/crd/bases/batch.tutorial.kubebuilder.io_cronjobs.yaml', import.meta.url);
  await client.create(definitions, parse(await readFile(file, 'utf8')));
  await eventually(() => client.list(cronJobs));
}
