/** Finds the command of a command line and runs it; reports a failure in a sentence. */
import { parseCommandLine, USAGE_EXIT_CODE } from 'controller-runtime';
import packageJson from '../../package.json' with { type: 'json' };
import { type Command, FAILED_EXIT_CODE, INTERRUPTED_EXIT_CODE, type Invocation, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { formatError } from './error-message.ts';
import { formatEpilogue, formatHelp, HELP_WIDTH, PROGRAM } from './help.ts';
import { suggestName } from './nearest.ts';
import { escapeOutput } from './terminal/paint.ts';

type CommandEnvironment = Omit<Invocation, 'command' | 'argument' | 'arguments' | 'flagValues'>;

/** @returns the exit code. Rejects only for faults of the program itself. */
export async function runCommand(args: readonly string[], given: CommandEnvironment): Promise<number> {
  const terminal = escapeOutput(given.terminal);
  const surroundings = { ...given, terminal };
  const [first = '', ...others] = args;
  // `help why` is `why --help`.
  const [name = '', ...rest] = first === 'help' && others.length > 0 ? [others[0] ?? '', '--help'] : args;
  if (['', 'help', '-h', '--help'].includes(name)) {
    terminal.out(formatHelp(COMMANDS));
    return name === '' ? USAGE_EXIT_CODE : 0;
  }
  if (name === '--version') {
    terminal.out(`${PROGRAM} ${packageJson.version}\n`);
    return 0;
  }
  if (name.startsWith('-')) {
    terminal.err(`${PROGRAM}: flags must come after the command, as in ${PROGRAM} list -n default\n`);
    return USAGE_EXIT_CODE;
  }
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) {
    const names = COMMANDS.map((each) => each.name);
    const hint = suggestName(name, names) || `; see ${PROGRAM} --help`;
    terminal.err(`${PROGRAM}: unknown command ${JSON.stringify(name)}${hint}\n`);
    return USAGE_EXIT_CODE;
  }
  return await parseAndRun(command, rest, surroundings);
}

async function parseAndRun(
  command: Command,
  args: readonly string[],
  surroundings: CommandEnvironment,
): Promise<number> {
  const { terminal } = surroundings;
  const name = `${PROGRAM} ${command.name}`;
  const flags = command.flags.map((flag) => ({ default: '', ...flag }));
  const read = parseCommandLine(
    { ...command, name, flags, width: HELP_WIDTH, epilogue: formatEpilogue(command) },
    args,
  );
  switch (read.kind) {
    case 'show':
      terminal.out(read.text);
      return 0;
    case 'invalid': {
      const hint = read.reason === 'ExcessArguments' ? command.excessHint?.(args) : undefined;
      const message = read.message.replace(/\.$/, '');
      // For a misspelled flag, the suggestion is on a line of its own, in brackets.
      const text = findUnexpectedValue(command, args) ?? message.replace(/\n\(Did (.*)\)$/, '; did $1');
      terminal.err(`${name}: ${text}${text === message ? `; ${hint ?? `see ${name} --help`}` : ''}\n`);
      return USAGE_EXIT_CODE;
    }
    case 'ok':
      try {
        return await command.run({
          ...surroundings,
          command,
          argument: read.argument,
          arguments: read.arguments,
          flagValues: read.flags,
        });
      } catch (error) {
        return reportFailure(name, error, surroundings);
      }
  }
}

/** For a flag that takes a value in kubectl but not here: `--dry-run=server`. */
function findUnexpectedValue({ flags }: Command, args: readonly string[]): string | undefined {
  const flag = flags.find(({ name, value }) => value === undefined && args.some((arg) => arg.startsWith(`--${name}=`)));
  return flag && `--${flag.name} does not take a value; use it alone`;
}

function reportFailure(name: string, error: unknown, { terminal, signal }: CommandEnvironment): number {
  if (signal.aborted) return INTERRUPTED_EXIT_CODE;
  if (error instanceof UsageError) {
    terminal.err(`${name}: ${error.message}; see ${name} --help\n`);
    return USAGE_EXIT_CODE;
  }
  const message = formatError(error);
  if (message === undefined) throw error;
  terminal.err(`${name}: ${message}\n`);
  return FAILED_EXIT_CODE;
}
