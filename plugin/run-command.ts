/** Finds the command of a command line and runs it; says what went wrong in a sentence. */
import {
  apiErrorOf,
  ConfigurationError,
  LabelSelectorError,
  readCommandLine,
  USAGE_EXIT_CODE,
} from 'controller-runtime';
import { type Command, type Invocation, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { CommandError } from './cron-jobs.ts';
import { examplesOf, helpOf, PROGRAM } from './help.ts';

type Surroundings = Omit<Invocation, 'argument' | 'given'>;

/** What it could not do. Usage has its own, {@link USAGE_EXIT_CODE}. */
const FAILED_EXIT_CODE = 1;

/** @returns the exit code. Rejects only for faults of the program itself. */
export async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { terminal } = surroundings;
  const [name = '', ...rest] = args;
  if (['', 'help', '-h', '--help'].includes(name)) {
    terminal.out(helpOf(COMMANDS));
    return name === '' ? USAGE_EXIT_CODE : 0;
  }
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) {
    terminal.err(`${PROGRAM}: there is no command ${JSON.stringify(name)}; see ${PROGRAM} --help\n`);
    return USAGE_EXIT_CODE;
  }
  return await runWith(command, rest, surroundings);
}

async function runWith(command: Command, args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { terminal } = surroundings;
  const name = `${PROGRAM} ${command.name}`;
  const read = readCommandLine({ ...command, name, epilogue: examplesOf(command) }, args);
  switch (read.kind) {
    case 'show':
      terminal.out(read.text);
      return 0;
    case 'invalid':
      terminal.err(`${name}: ${read.message}; see ${name} --help\n`);
      return USAGE_EXIT_CODE;
    case 'ok':
      try {
        return await command.run({ ...surroundings, argument: read.argument, given: read.given });
      } catch (error) {
        return failed(name, error, surroundings);
      }
  }
}

function failed(name: string, error: unknown, { terminal }: Surroundings): number {
  if (error instanceof UsageError) {
    terminal.err(`${name}: ${error.message}; see ${name} --help\n`);
    return USAGE_EXIT_CODE;
  }
  const message = messageOf(error);
  if (message === undefined) throw error;
  terminal.err(`${name}: ${message}\n`);
  return FAILED_EXIT_CODE;
}

/** `undefined` for a fault of the program. */
function messageOf(error: unknown): string | undefined {
  const isExplained = [CommandError, ConfigurationError, LabelSelectorError].some((type) => error instanceof type);
  if (isExplained && error instanceof Error) return error.message;
  if (apiErrorOf(error) !== undefined) return `the API server: ${apiErrorOf(error)?.message}`;
  const code = codeOf(error);
  return code === undefined ? undefined : `cannot reach the API server (${code}); check the network and the kubeconfig`;
}

/** Of an error of the network, such as ECONNREFUSED; it may be the cause of another. */
function codeOf(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each && typeof each.code === 'string') return each.code;
  }
  return undefined;
}
