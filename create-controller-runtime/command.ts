/** The commands: create a project, add a kind to a project, and add webhooks to a kind. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import {
  answerFromFlags,
  askForApi,
  askForFolder,
  CancelledError,
  checkFlags,
  type Flags,
  listWebhooks,
  printCancelled,
  printIntro,
  resolvePlace,
} from './answers.ts';
import { type Api, DEFAULT_VERSION, SCOPES, WEBHOOK_TYPES } from './names.ts';
import { addApi, addWebhooks, type Dependency, RefusedError, writeProject } from './project-folder.ts';

interface CommandFlags extends Flags, Dependency {
  /** Whether to install the packages and to generate the manifests. */
  readonly install: boolean;
}

type WebhookFlags = CommandFlags & { readonly kind: string };

/** As shells report Ctrl-C. */
const CANCELLED_EXIT_CODE = 130;

/** Runs the command. Resolves to the exit code. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const create = async (folder: string | undefined, flags: CommandFlags) => {
    exitCode = await runRefusable(() => createProject(folder, flags));
  };
  const addKind = async (flags: CommandFlags) => {
    exitCode = await runRefusable(() => createApi(flags));
  };
  const addWebhook = async (flags: WebhookFlags) => {
    exitCode = await runRefusable(async () => createWebhooks(flags));
  };
  await defineCommands({ create, addKind, addWebhook }).parseAsync(argv);
  return exitCode;
}

interface Actions {
  create(folder: string | undefined, flags: CommandFlags): Promise<void>;
  addKind(flags: CommandFlags): Promise<void>;
  addWebhook(flags: WebhookFlags): Promise<void>;
}

function defineCommands({ create, addKind, addWebhook }: Actions): Command {
  const program = new Command('npm create controller-runtime')
    .usage('[folder] -- [options]')
    .description('Create a Kubernetes operator in TypeScript. Asks for missing options on a terminal.')
    .argument('[folder]', 'Folder of the project.')
    .option('--name <name>', 'Name of the operator. Default: the name of the folder.')
    .option('--controller-runtime <package>', 'Version of controller-runtime, or path of its tarball.')
    .enablePositionalOptions()
    .showHelpAfterError('(--help lists the options)')
    .action(create);
  const api = program
    .command('api')
    .usage('-- [options]')
    .description('Add a kind, with its controller and webhooks, to the project in the current folder.')
    .action(addKind);
  for (const command of [program, api]) addApiOptions(command);
  const webhook = program
    .command('webhook')
    .usage('-- [options]')
    .description('Add webhooks to a kind of the project in the current folder. Default: both webhooks.')
    .requiredOption('--kind <kind>', 'The kind.')
    .action(addWebhook);
  for (const command of [program, api, webhook]) addWebhookOptions(command);
  return program;
}

function addApiOptions(command: Command): void {
  command
    .option('--group <domain>', 'API group of the kind: a domain that you own.')
    .option('--version <version>', `API version of the kind. Default: ${DEFAULT_VERSION}.`)
    .option('--kind <kind>', 'Kind in CamelCase, such as Website.')
    .option('--plural <plural>', 'Plural of the kind in lower case. Default: the English plural.')
    .addOption(new Option('--scope <scope>', 'Scope of the kind. Default: Namespaced.').choices(SCOPES));
}

function addWebhookOptions(command: Command): void {
  command
    .option('--defaulting', 'Add a defaulting webhook.')
    .option('--validation', 'Add a validating webhook.')
    .option('--webhook', 'Add both webhooks.')
    .option('--no-install', 'Do not run npm install and npm run manifests.');
}

async function createProject(folder: string | undefined, flags: CommandFlags): Promise<number> {
  checkFlags(flags);
  const given = folder === undefined ? undefined : resolvePlace(folder, flags.name);
  const answers = answerFromFlags(flags);
  if (given === undefined || answers === undefined) {
    const missing = [...(given === undefined ? ['the folder'] : []), ...listMissingFlags(flags)];
    startQuestions('Create a Kubernetes operator', missing, 'npm create controller-runtime my-operator --');
  }
  const place = given ?? (await askForFolder(flags.name));
  const api = answers ?? (await askForApi(flags));
  const files = writeProject(place.folder, place.name, api, flags);
  print(
    `\nWrote ${files.length} files to ${place.folder}: the operator ${place.name} with the kind ${describe(api)}.\n`,
  );
  const steps = ['npm install', 'npm run manifests'];
  const next = ['npm test', 'make help'];
  if (!flags.install) return printNextSteps([`cd ${place.folder}`, ...steps, ...next]);
  const failed = steps.find((step) => !runStep(step, place.folder));
  if (failed === undefined) return printNextSteps([`cd ${place.folder}`, ...next]);
  process.stderr.write(`\n${failed} failed, see above. The files are complete.\n`);
  printNextSteps([`cd ${place.folder}`, ...steps.slice(steps.indexOf(failed)), ...next]);
  return 1;
}

async function createApi(flags: CommandFlags): Promise<number> {
  checkFlags(flags);
  const answers = answerFromFlags(flags);
  if (answers === undefined)
    startQuestions('Add a kind to the operator', listMissingFlags(flags), 'npm create controller-runtime api --');
  const api = answers ?? (await askForApi(flags));
  const files = addApi('.', api);
  print(`\nAdded the kind ${describe(api)}:\n${formatPaths(files)}`);
  return updateManifests(flags);
}

function createWebhooks(flags: WebhookFlags): number {
  checkFlags(flags);
  const given = listWebhooks(flags);
  const files = addWebhooks('.', flags.kind, given.length === 0 ? WEBHOOK_TYPES : given);
  print(`\nAdded webhooks to the kind ${flags.kind}:\n${formatPaths(files)}`);
  print('\nThe webhooks use the field spec.message of a new kind. Replace the field if your kind does not have it.\n');
  return updateManifests(flags);
}

function updateManifests({ install }: Pick<CommandFlags, 'install'>): number {
  if (install && existsSync(join('node_modules', 'controller-runtime')))
    return runStep('npm run manifests', '.') ? 0 : 1;
  return printNextSteps(['npm install', 'npm run manifests']);
}

function formatPaths(paths: readonly string[]): string {
  return paths.map((path) => `  ${path}\n`).join('');
}

/** Throws a {@link RefusedError} if there is no terminal to ask on. */
function startQuestions(title: string, missing: readonly string[], command: string): void {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new RefusedError(
      `missing: ${missing.join(', ')}. Without a terminal, pass them, for example:\n  ${command} --group example.com --kind Website`,
    );
  printIntro(title);
}

function listMissingFlags(flags: Flags): readonly string[] {
  return (['group', 'kind'] as const).filter((name) => flags[name] === undefined).map((name) => `--${name}`);
}

/** Runs a command with its output on the terminal. Returns whether it succeeded. */
function runStep(command: string, cwd: string): boolean {
  print(`\n> ${command}\n`);
  const [file = '', ...args] = command.split(' ');
  return spawnSync(file, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

async function runRefusable(action: () => Promise<number>): Promise<number> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof CancelledError) {
      printCancelled();
      return CANCELLED_EXIT_CODE;
    }
    if (!(error instanceof RefusedError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

function describe({ kind, group, version }: Api): string {
  return `${kind} (${group}/${version})`;
}

function printNextSteps(steps: readonly string[]): number {
  print(`\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`);
  return 0;
}

function print(text: string): void {
  process.stdout.write(text);
}
