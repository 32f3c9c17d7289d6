#!/usr/bin/env node
/**
 * The command `controller-runtime` generates the manifests of an operator, fetches the schemas of built-in Kubernetes types, and
 * writes the types of kinds that other operators define.
 */
import { USAGE_EXIT_CODE } from './flags/exit-code.ts';

/** undici, which sends the requests, needs this version of Node. `engines` of package.json has the same version. */
const MIN_NODE_VERSION = { major: 22, minor: 19 };

/**
 * The modules of the commands are imported after the version check, because their imports fail in older versions of
 * Node.js with an unclear error.
 */
const COMMANDS: Readonly<Record<string, () => Promise<(args: readonly string[]) => Promise<number>>>> = {
  generate: async () => (await import('./manifests/generate-command.ts')).generate,
  'fetch-schemas': async () => (await import('./manifests/fetch-schemas-command.ts')).fetchSchemas,
  types: async () => (await import('./manifests/types-command.ts')).writeTypes,
};

const USAGE = `usage: controller-runtime <command>

  generate <module> [--check] [--output-dir <folder>] [--webhook-url <url>]
      Generate the manifests of an operator: CRDs, roles, webhook configurations; with a deployment, the whole installation.
      --check: write nothing, fail if a file is stale. --webhook-url: call the webhooks at this URL, such as your machine's.

  fetch-schemas <file> <name>…
      Fetch schemas of built-in types from the cluster of the kubeconfig, for kubernetesSchema().

  types <file>… | --from-cluster <name>… [--output <file>]
      Write a TypeScript module with the types and the resources of CRDs, from YAML files or from the cluster of the kubeconfig.
`;

// If a reader such as `head` closes the pipe early, the command still writes its files.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
const [name = '', ...args] = process.argv.slice(2);
process.exitCode = await runCommand();

async function runCommand(): Promise<number> {
  if ([name, ...args].some((arg) => ['help', '--help', '-h'].includes(arg))) return print(process.stdout, USAGE, 0);
  const loadCommand = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (loadCommand === undefined) return print(process.stderr, USAGE, USAGE_EXIT_CODE);
  if (isNodeTooOld(process.versions.node)) {
    const oldest = `${MIN_NODE_VERSION.major}.${MIN_NODE_VERSION.minor}`;
    return print(
      process.stderr,
      `controller-runtime needs Node.js ${oldest} or later; this is ${process.version}\n`,
      1,
    );
  }
  const run = await loadCommand();
  return await run(args);
}

function isNodeTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < MIN_NODE_VERSION.major || (major === MIN_NODE_VERSION.major && minor < MIN_NODE_VERSION.minor);
}

function print(stream: NodeJS.WritableStream, text: string, exitCode: number): number {
  stream.write(text);
  return exitCode;
}
