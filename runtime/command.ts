#!/usr/bin/env node
/**
 * `controller-runtime`: generates the manifests of an operator, and fetches schemas of Kubernetes' own types for them.
 */
import { USAGE_EXIT_CODE } from './flags/exit-code.ts';

const OLDEST_NODE = 24;

/** Loaded on demand: an older Node fails at their imports, with an error that does not mention its version. */
const COMMANDS: Readonly<Record<string, () => Promise<(args: readonly string[]) => Promise<number>>>> = {
  generate: async () => (await import('./manifests/generate-command.ts')).generate,
  'fetch-schemas': async () => (await import('./manifests/fetch-schemas-command.ts')).fetchSchemas,
};

const USAGE = `usage: controller-runtime <command>

  generate <module> [--check] [--output-dir <folder>] [--webhook-url <url>]
      Generate the manifests of an operator: CRDs, roles, webhook configurations; with a deployment, the whole installation.
      --check: write nothing, fail if a file is stale. --webhook-url: call the webhooks at this URL, such as your machine's.

  fetch-schemas <file> <name>…
      Fetch schemas of built-in types from the cluster of the kubeconfig, for kubernetesSchema().
`;

const [name = '', ...args] = process.argv.slice(2);
process.exitCode = await runCommand();

async function runCommand(): Promise<number> {
  if ([name, ...args].some((arg) => ['help', '--help', '-h'].includes(arg))) return print(process.stdout, USAGE, 0);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) return print(process.stderr, USAGE, USAGE_EXIT_CODE);
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE)
    return print(
      process.stderr,
      `controller-runtime needs Node.js ${OLDEST_NODE} or later; this is ${process.version}\n`,
      1,
    );
  const run = await load();
  return await run(args);
}

function print(stream: NodeJS.WritableStream, text: string, exitCode: number): number {
  stream.write(text);
  return exitCode;
}
