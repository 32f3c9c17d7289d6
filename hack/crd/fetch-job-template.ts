/**
 * Makes job-template.schema.json anew from the API server that KUBECONFIG names.
 *
 *   KUBECONFIG=<file> node hack/crd/fetch-job-template.ts
 */
import { get, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { KubeConfig } from '@kubernetes/client-node';
import { JOB_TEMPLATE_FILE, JOB_TEMPLATE_SPEC, writeJobTemplateFile } from './job-template-file.ts';
import { type OpenApiSchemas, structuralFromOpenApi } from './openapi-schema.ts';
import { structuralFaults } from './structural-faults.ts';

async function main(): Promise<void> {
  const config = new KubeConfig();
  config.loadFromDefault();
  const { gitVersion } = await getJson<{ gitVersion: string }>(config, '/version');
  const document = await getJson<{ components: { schemas: OpenApiSchemas } }>(config, '/openapi/v3/apis/batch/v1');
  const schema = structuralFromOpenApi(document.components.schemas, JOB_TEMPLATE_SPEC);
  const faults = structuralFaults(schema);
  if (faults.length > 0)
    throw new Error(`JobTemplateSpec of Kubernetes ${gitVersion} fits no CRD:\n${faults.join('\n')}`);
  writeJobTemplateFile({ kubernetesVersion: gitVersion, schema });
  console.log(`wrote ${fileURLToPath(JOB_TEMPLATE_FILE)} from Kubernetes ${gitVersion}; now run \`make manifests\``);
}

/** The caller vouches for `T`: both paths are part of the API that every API server has. */
async function getJson<T>(config: KubeConfig, path: string): Promise<T> {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error('KUBECONFIG names no cluster');
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const body = await new Promise<string>((resolve, reject) => {
    get(new URL(path, server), options, (response) => {
      if (response.statusCode === 200) text(response).then(resolve, reject);
      else reject(new Error(`GET ${path}: ${server} answered ${response.statusCode}`));
    }).on('error', reject);
  });
  return JSON.parse(body) as T;
}

await main();
