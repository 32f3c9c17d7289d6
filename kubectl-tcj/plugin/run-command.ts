/** Runs a command line of kubectl-tcj. */
import { parseCommandLine, USAGE_EXIT_CODE } from 'controller-runtime/internal';
import packageJson from '../../package.json' with { type: 'json' };
import { removeEmptyClusterFlags } from './cluster-flags.ts';
import { type Command, FAILED_EXIT_CODE, INTERRUPTED_EXIT_CODE, type Invocation, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { formatError } from './error-message.ts';
import { formatEpilogue, formatHelp, HELP_WIDTH, PROGRAM } from './help.ts';
import { suggestName } from './similar-name.ts';
import { escapeOutput } from './terminal/paint-text.ts';

type CommandEnvironment = Omit<Invocation, 'command' | 'argument' | 'arguments' | 'flagValues' | 'flagLists'>;

/** @returns the exit code. Rejects only for internal errors. */
export async function runCommand(args: readonly string[], rawEnvironment: CommandEnvironment): Promise<number> {
  const terminal = escapeOutput(rawEnvironment.terminal);
  const environment = { ...rawEnvironment, terminal };
  const [name = '', ...commandArgs] = args[0] === 'help' && args[1] !== undefined ? [args[1], '--help'] : args;
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
  return await parseAndRun(command, commandArgs, environment);
}

async function parseAndRun(
  command: Command,
  args: readonly string[],
  environment: CommandEnvironment,
): Promise<number> {
  const { terminal } = environment;
  const name = `${PROGRAM} ${command.name}`;
  const flags = command.flags.map((flag) => ({ default: '', ...flag }));
  const parsed = parseCommandLine(
    { ...command, name, flags, width: HELP_WIDTH, epilogue: formatEpilogue(command) },
    args,
  );
  switch (parsed.kind) {
    case 'show':
      terminal.out(parsed.text);
      return 0;
    case 'invalid': {
      const hint = parsed.reason === 'ExcessArguments' ? command.explainExcessArguments?.(args) : undefined;
      const message = parsed.message.replace(/\.$/, '');
      // commander adds a suggestion for a misspelled flag on a separate line, in brackets.
      const text = describeUnexpectedValue(command, args) ?? message.replace(/\n\(Did (.*)\)$/, '; did $1');
      terminal.err(`${name}: ${text}${text === message ? `; ${hint ?? `see ${name} --help`}` : ''}\n`);
      return USAGE_EXIT_CODE;
    }
    case 'ok':
      try {
        return await command.run({
          ...environment,
          command,
          argument: parsed.argument,
          arguments: parsed.arguments,
          flagValues: removeEmptyClusterFlags(parsed.flags),
          flagLists: parsed.flagLists,
        });
      } catch (error) {
        return reportFailure(name, error, environment);
      }
  }
}

/** Returns the error message if a flag without a value has a value on the command line, such as `--dry-run=server`. */
function describeUnexpectedValue({ flags }: Command, args: readonly string[]): string | undefined {
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
