/**
 * Writes a module with the types and the resources of the kinds in CustomResourceDefinitions. Use the module for a
 * typed client of kinds that other operators define.
 *
 *   controller-runtime types <file>… [--output <file>]                  reads YAML files
 *   controller-runtime types --from-cluster <name>… [--output <file>]   reads from the cluster of the kubeconfig
 *
 * `<name>` is the name of a CustomResourceDefinition, such as certificates.cert-manager.io. Without `--output`, the
 * command prints the module.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { KubeConfigCredentials } from '../client/credentials.ts';
import { loadKubectlConfig } from '../client/kubeconfig/loading-rules.ts';
import { LiveClient } from '../client/live-client.ts';
import { HttpTransport } from '../client/transport.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { apiextensions } from '../kubernetes/extensions.ts';
import { isRecord } from '../kubernetes/is-record.ts';
import { type CrdDefinition, formatTypesModule } from './typescript-types.ts';

const USAGE = 'usage: controller-runtime types <file>… | --from-cluster <name>… [--output <file>]';

/** Runs the command. Resolves to the exit code. */
export async function writeTypes(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { 'from-cluster': { type: 'boolean' }, output: { type: 'string' } },
  });
  if (positionals.length === 0) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const definitions = values['from-cluster']
    ? await fetchDefinitions(positionals)
    : positionals.flatMap(readDefinitions);
  const module = formatTypesModule(definitions);
  if (values.output === undefined) {
    process.stdout.write(module);
    return 0;
  }
  writeFileSync(values.output, module);
  process.stdout.write(`wrote ${values.output}\n`);
  return 0;
}

/** Reads the CustomResourceDefinitions of a YAML file, which may contain other objects. */
export function readDefinitions(file: string): readonly CrdDefinition[] {
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map((document): unknown => document.toJS());
  const definitions = documents.filter((document) => isRecord(document) && document['kind'] === CRD_KIND);
  if (definitions.length === 0) throw new Error(`${file} contains no ${CRD_KIND}`);
  return definitions.map((definition) => checkDefinition(definition, file));
}

async function fetchDefinitions(names: readonly string[]): Promise<readonly CrdDefinition[]> {
  const clock = new SystemClock();
  const credentials = new KubeConfigCredentials(() => loadKubectlConfig(), clock);
  const transport = new HttpTransport({ credentials, clock, userAgent: 'controller-runtime' });
  const client = new LiveClient(transport, { fieldManager: 'controller-runtime' });
  try {
    const fetchDefinition = async (name: string) => {
      const definition = await client.get(apiextensions.v1.customResourceDefinitions, { name });
      if (definition === undefined) throw new Error(`the cluster has no ${CRD_KIND} ${name}`);
      return checkDefinition(definition, name);
    };
    return await Promise.all(names.map(fetchDefinition));
  } finally {
    await transport.close();
  }
}

const CRD_KIND = 'CustomResourceDefinition';

function checkDefinition(definition: unknown, source: string): CrdDefinition {
  const { apiVersion, spec } = definition as { readonly apiVersion?: unknown; readonly spec?: unknown };
  if (apiVersion !== 'apiextensions.k8s.io/v1' || !isRecord(spec) || !Array.isArray(spec['versions']))
    throw new Error(`${source}: the ${CRD_KIND} is not valid in apiextensions.k8s.io/v1`);
  return definition as CrdDefinition; // the API server validates the rest
}

if (import.meta.main) process.exitCode = await writeTypes(process.argv.slice(2));
