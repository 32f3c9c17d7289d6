/** Makes the API server present a client certificate to webhooks that request one, as docs/webhooks.md describes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSignedCertificate } from 'controller-runtime/testing';

const PLUGINS = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'];

/** The flags of kube-apiserver, which name files in `folder`, and the CA of its certificate, in PEM. */
export function presentCertificateToWebhooks(folder: string): {
  readonly flags: Readonly<Record<string, string>>;
  readonly ca: string;
} {
  const { cert, key } = selfSignedCertificate('kube-apiserver-webhook-client');
  const data = (pem: string) => Buffer.from(pem).toString('base64');
  const kubeConfigFile = join(folder, 'webhook-clients');
  const user = { 'client-certificate-data': data(cert), 'client-key-data': data(key) };
  writeFileSync(kubeConfigFile, JSON.stringify({ apiVersion: 'v1', kind: 'Config', users: [{ name: '*', user }] }));
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'WebhookAdmissionConfiguration',
    kubeConfigFile,
  };
  const admission = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: PLUGINS.map((name) => ({ name, configuration })),
  };
  const file = join(folder, 'admission.json');
  writeFileSync(file, JSON.stringify(admission));
  return { flags: { 'admission-control-config-file': file }, ca: cert };
}
