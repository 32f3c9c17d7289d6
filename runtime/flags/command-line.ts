/**
 * Parses command lines as Go programs do. Only this file imports Commander, which handles only texts: other files
 * interpret the values.
 */
import { Argument, Command, CommanderError, Option } from 'commander';

export interface CommandLine {
  /** Name of the command: `manager`. */
  readonly name: string;
  readonly description: string;
  /** The argument; the command has no argument when absent. */
  readonly argument?: ArgumentDefinition;
  readonly flags: readonly FlagDefinition[];
  /** Output of `--version`; the flag does not exist when absent. */
  readonly version?: string;
  /** Further usage lines, below the generated one. */
  readonly usage?: string;
  /** Shown after the flags in the help. */
  readonly epilogue?: string;
  /** Width of the help in columns, except for the epilogue, which is printed unchanged. Default 110. */
  readonly width?: number;
}

interface ArgumentDefinition {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  /** Accepts any number of arguments. */
  readonly isRepeated?: boolean;
}

export interface FlagDefinition {
  /** Name without the dashes. */
  readonly name: string;
  /** One-letter alias. */
  readonly short?: string;
  /** Placeholder for the value in the help. Without it, the flag has no value and is `true` when given. */
  readonly value?: string;
  /** The flag is also valid without a value, which means `true`. */
  readonly isBoolean?: boolean;
  readonly description: string;
  /** Default as a user would type it; empty when the flag has no default. */
  readonly default: string;
  /** Heading in the help. */
  readonly group?: string;
}

export type ParsedCommandLine =
  | {
      readonly kind: 'ok';
      /** Empty when the command has no argument, or the user omitted it. */
      readonly argument: string;
      /** All arguments; more than one only if the argument is repeated. */
      readonly arguments: readonly string[];
      /** The given flags, by name. */
      readonly flags: ReadonlyMap<string, string>;
    }
  /** Help or version: print it to stdout and exit with 0. */
  | { readonly kind: 'show'; readonly text: string }
  /** Print it to stderr. */
  | { readonly kind: 'invalid'; readonly reason: 'ExcessArguments' | 'Other'; readonly message: string };

/**
 * Reads flags as `--flag=value`, `--flag value`, and for booleans also `--flag`. The last value of a repeated flag
 * wins.
 * @param args Arguments after the command name.
 */
export function parseCommandLine(line: CommandLine, args: readonly string[]): ParsedCommandLine {
  const output: string[] = [];
  const command = createCommand(line).configureOutput({
    writeOut: (text) => output.push(text),
    writeErr: () => {},
    getOutHelpWidth: () => line.width ?? HELP_WIDTH,
  });
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'show', text: output.join('') };
    const reason = error.code === 'commander.excessArguments' ? 'ExcessArguments' : 'Other';
    return { kind: 'invalid', reason, message: error.message.replace(/^error: /, '') };
  }
  const [argument = ''] = command.args;
  return { kind: 'ok', argument, arguments: command.args, flags: readFlags(line, command.opts()) };
}

const HELP_WIDTH = 110;

function createCommand({ name, description, argument, flags, version, usage, epilogue }: CommandLine): Command {
  const command = new Command(name)
    .description(description)
    .helpOption('-h, --help', 'Show this text.')
    .allowExcessArguments(false)
    .exitOverride();
  if (argument) command.addArgument(createArgument(argument));
  if (version !== undefined) command.version(version, '--version', 'Show the version.');
  if (usage !== undefined) command.usage(`${command.usage()}\n       ${usage}`);
  if (epilogue !== undefined) command.addHelpText('after', `\n${epilogue}`);
  for (const flag of flags) command.addOption(createOption(flag));
  return command;
}

function createArgument({ name, description, isOptional, isRepeated }: ArgumentDefinition): Argument {
  const words = isRepeated ? `${name}...` : name;
  return new Argument(isOptional ? `[${words}]` : `<${words}>`, description);
}

function createOption({
  name,
  short,
  value,
  isBoolean,
  description,
  default: fallback,
  group,
}: FlagDefinition): Option {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  const words = fallback === '' ? description : `${description.replace(/\.$/, '')} (default: ${fallback}).`;
  const option = new Option(value === undefined ? names : `${names} ${isBoolean ? `[${value}]` : `<${value}>`}`, words);
  // Go programs accept `-o=json` for `-o json`; here it arrives as `=json`.
  if (short !== undefined && value !== undefined) option.argParser((flags) => flags.replace(/^=/, ''));
  return group === undefined ? option : option.helpGroup(`${group}:`);
}

function readFlags(
  { flags }: CommandLine,
  texts: Readonly<Record<string, string | boolean>>,
): ReadonlyMap<string, string> {
  return new Map(
    flags.flatMap(({ name }) => {
      const option = new Option(`--${name}`);
      const text = texts[option.attributeName()];
      // Commander treats `--no-browser` as the opposite of `--browser`, which is true by default.
      if (option.negate) return text === false ? [[name, 'true'] as const] : [];
      return text === undefined ? [] : [[name, String(text)] as const];
    }),
  );
}
