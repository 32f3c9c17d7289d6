/** Writes config/kustomize/kustomize-openapi.json from the API server of the current kubeconfig. `make generate` runs this script. */
import { writeFileSync } from 'node:fs';
import { HttpTransport, KubeConfigCredentials, loadKubeConfig, SystemClock } from 'controller-runtime';
import { createKustomizeOpenApi, type OpenApiDocument } from './openapi.ts';

const clock = new SystemClock();
const credentials = new KubeConfigCredentials(() => loadKubeConfig(), clock);
const transport = new HttpTransport({ credentials, clock, userAgent: 'kustomize-openapi' });
try {
  const document = (await transport.request({ method: 'GET', path: '/openapi/v2' })) as OpenApiDocument;
  writeFileSync(
    new URL('../../config/kustomize/kustomize-openapi.json', import.meta.url),
    createKustomizeOpenApi(document),
  );
} finally {
  await transport.close();
}
