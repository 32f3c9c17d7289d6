/**
 * Writes the manifests of an operator: CRDs, roles and webhook configurations. With the option `deployment`, writes all
 * manifests of the installation.
 *
 *   controller-runtime generate <module>           writes the stale files
 *   controller-runtime generate <module> --check   writes no file and exits with 1 if a file is stale
 *
 * The module exports an OperatorManifests as `manifests` or as the default export. `--output-dir` sets the output
 * folder; the default is the current folder. `--webhook-url https://<host>:9443` sets the URL of the webhooks, for a
 * manager on your machine.
 */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { writeGeneratedFiles } from './generated-files.ts';
import { manifestFiles } from './manifests.ts';
import type { OperatorManifests } from './operator-manifests.ts';

const USAGE = 'usage: controller-runtime generate <module> [--check] [--output-dir <folder>] [--webhook-url <url>]';

/** Runs the command. Resolves to the exit code. */
export async function generate(args: readonly string[]): Promise<number> {
  const parsedArguments = tryParseArguments(args);
  if (typeof parsedArguments === 'string') return printError(parsedArguments);
  const { module, folder, isCheck, webhookUrl } = parsedArguments;
  if (module === undefined) return printError(USAGE);
  if (webhookUrl !== undefined && !/^https:/.test(webhookUrl))
    return printError('--webhook-url must be https://<host>:<port>');
  const path = resolve(module);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return printError(`${module}: no such file`);
  const manifests = await importManifests(path);
  if (manifests === undefined)
    return printError(
      `${module} exports no \`manifests\`: { kinds, manager, setUp, rules }; use the file that does, such as cmd/manifests.ts`,
    );
  const files = manifestFiles(manifests, { webhookUrl });
  const stalePaths = writeGeneratedFiles(files, { folder, generator: 'controller-runtime generate', isCheck });
  for (const path of stalePaths) {
    if (isCheck)
      process.stderr.write(`${path} is stale: run \`controller-runtime generate ${module}\` and commit the result\n`);
    else process.stdout.write(`wrote ${path}\n`);
  }
  return isCheck && stalePaths.length > 0 ? 1 : 0;
}

interface GenerateArguments {
  readonly module: string | undefined;
  readonly folder: string;
  readonly isCheck: boolean;
  readonly webhookUrl: string | undefined;
}

function tryParseArguments(args: readonly string[]): GenerateArguments | string {
  try {
    return parseArguments(args);
  } catch (error) {
    return `${error instanceof Error ? error.message : error}\n${USAGE}`;
  }
}

function parseArguments(args: readonly string[]): GenerateArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      check: { type: 'boolean', default: false },
      'output-dir': { type: 'string', default: '.' },
      'webhook-url': { type: 'string' },
    },
  });
  const module = positionals.length === 1 ? positionals[0] : undefined;
  return { module, folder: values['output-dir'], isCheck: values.check, webhookUrl: values['webhook-url'] };
}

/**
 * Returns the manifests that the module exports. The compiler of the operator has checked the type of the manifests.
 * Does not import a module without exports, such as a main file, because the import would run the operator.
 */
async function importManifests(path: string): Promise<OperatorManifests | undefined> {
  if (!/\bexports?\b/.test(readFileSync(path, 'utf8'))) return undefined;
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
  const exportedManifests = module['manifests'] ?? module['default'];
  return typeof exportedManifests === 'object' && exportedManifests !== null ? exportedManifests : undefined;
}

function printError(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}

if (import.meta.main) process.exitCode = await generate(process.argv.slice(2));
