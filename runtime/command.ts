#!/usr/bin/env node
/** `controller-runtime`: writes the manifests of an operator, and fetches schemas of Kubernetes' own types for them. */
import { USAGE_EXIT_CODE } from './flags/exit-code.ts';
import { fetchSchemas } from './manifests/fetch-schemas-command.ts';
import { generate } from './manifests/generate-command.ts';

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  generate,
  'fetch-schemas': fetchSchemas,
};

const USAGE = `usage: controller-runtime <command>

  generate <module> [--check] [--output-dir <folder>]   Write CRDs, roles and webhook configurations of an operator.
  fetch-schemas <file> <name>…                          Get schemas of Kubernetes' types from the cluster of the kubeconfig.
`;

const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command === undefined) {
  const isHelp = ['help', '--help', '-h'].includes(name);
  (isHelp ? process.stdout : process.stderr).write(USAGE);
  process.exitCode = isHelp ? 0 : USAGE_EXIT_CODE;
} else {
  process.exitCode = await command(args);
}
