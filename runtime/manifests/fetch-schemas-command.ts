/**
 * Downloads the schemas of Kubernetes types from the API server of the current kubeconfig context, and writes the
 * schemas to a JSON file for the manifest generator.
 *
 *   controller-runtime fetch-schemas <file> <name>…
 *
 * The names are OpenAPI names, such as io.k8s.api.core.v1.PodSpec. The operator passes the same names to
 * `kubernetesSchema()`.
 */
import { KubeConfigCredentials } from '../client/credentials.ts';
import { loadKubectlConfig } from '../client/kubeconfig/loading-rules.ts';
import { HttpTransport, type Transport } from '../client/transport.ts';
import { SystemClock } from '../clock/system-clock.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { writeKubernetesSchemas } from './kubernetes-schemas.ts';
import { structuralFaults } from './structural-faults.ts';
import { type OpenApiSchemas, structuralFromOpenApi } from './structural-from-openapi.ts';

const USAGE = 'usage: controller-runtime fetch-schemas <file> <name>…, such as pods.json io.k8s.api.core.v1.PodSpec';

/** Runs the command. Resolves to the exit code. */
export async function fetchSchemas([file, ...names]: readonly string[]): Promise<number> {
  if (file === undefined || names.length === 0) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const clock = new SystemClock();
  const credentials = new KubeConfigCredentials(() => loadKubectlConfig(), clock);
  const transport = new HttpTransport({ credentials, clock, userAgent: 'controller-runtime' });
  try {
    const { gitVersion } = await fetchJson<{ readonly gitVersion: string }>(transport, '/version');
    const schemas = await fetchSchemasByName(transport, names);
    writeKubernetesSchemas(file, { kubernetesVersion: gitVersion, schemas });
    process.stdout.write(`wrote ${file} from Kubernetes ${gitVersion}\n`);
    return 0;
  } finally {
    await transport.close();
  }
}

async function fetchSchemasByName(transport: Transport, names: readonly string[]) {
  const schemasByName: Record<string, StructuralSchema> = {};
  const { paths } = await fetchJson<{ readonly paths: Readonly<Record<string, unknown>> }>(transport, '/openapi/v3');
  for (const name of names) {
    const schemas = await findDocumentSchemas(transport, name, Object.keys(paths));
    const schema = structuralFromOpenApi(schemas, name);
    const faults = structuralFaults(schema);
    if (faults.length > 0) throw new Error(`${name} is not valid in a CRD:\n${faults.join('\n')}`);
    schemasByName[name] = schema;
  }
  return schemasByName;
}

/**
 * Returns the schemas of the OpenAPI document that contains a type. First reads the document of the API group that the
 * name of the type contains.
 */
async function findDocumentSchemas(
  transport: Transport,
  name: string,
  paths: readonly string[],
): Promise<OpenApiSchemas> {
  const [version = '', group = ''] = name.split('.').slice(0, -1).reverse();
  const groupPath = group === 'core' ? `api/${version}` : `/${group}/${version}`;
  const rankPath = (path: string) => (`/${path}`.replace('.k8s.io/', '/').endsWith(groupPath) ? 0 : 1);
  for (const path of paths.toSorted((left, right) => rankPath(left) - rankPath(right))) {
    const { components } = await fetchJson<OpenApiDocument>(transport, `/openapi/v3/${path}`);
    const schemas = components?.schemas;
    if (schemas?.[name] !== undefined) return schemas;
  }
  throw new Error(`the API server has no schema called ${name}`);
}

interface OpenApiDocument {
  readonly components?: { readonly schemas?: OpenApiSchemas };
}

/** Requests a path and returns the response as a `T`, without validation. */
async function fetchJson<T>(transport: Transport, path: string): Promise<T> {
  return (await transport.request({ method: 'GET', path })) as T;
}

if (import.meta.main) process.exitCode = await fetchSchemas(process.argv.slice(2));
