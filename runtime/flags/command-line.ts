/**
 * Parses command lines with the syntax of Go's flags. Only this file imports the package `commander`, which returns
 * every value as a string. The parsers in flag-values.ts convert the strings.
 */
import { Argument, Command, CommanderError, Option } from 'commander';

export interface CommandLine {
  /** Name of the command, such as `manager`. */
  readonly name: string;
  readonly description: string;
  /** The positional argument. Default: the command has no argument. */
  readonly argument?: ArgumentDefinition;
  readonly flags: readonly FlagDefinition[];
  /** Output of `--version`. Default: the command has no flag `--version`. */
  readonly version?: string;
  /** Additional usage lines, printed below the generated usage line. */
  readonly usage?: string;
  /** Text that the help prints after the flags. */
  readonly epilogue?: string;
  /** Width of the help in columns. Default 110. The epilogue is printed without line wrapping. */
  readonly width?: number;
}

interface ArgumentDefinition {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  /** Whether the user may pass the argument several times. */
  readonly isRepeated?: boolean;
}

export interface FlagDefinition {
  /** Name of the flag without the dashes. */
  readonly name: string;
  /** One-letter alias. */
  readonly short?: string;
  /**
   * Placeholder for the value in the help. Default: the flag takes no value, and the presence of the flag means `true`.
   */
  readonly value?: string;
  /** Whether the user may write the flag without a value, which means `true`. */
  readonly isBoolean?: boolean;
  /**
   * Whether the values of a repeated flag are joined with commas, as in kubectl. Default: only the last value counts.
   */
  readonly isRepeated?: boolean;
  readonly description: string;
  /** Default value, in the form that a user types. Empty if the flag has no default. */
  readonly default: string;
  /** Heading under which the help lists the flag. */
  readonly group?: string;
  /** Whether the help omits the flag. Default false. */
  readonly isHidden?: boolean;
}

export type ParsedCommandLine =
  | {
      readonly kind: 'ok';
      /** The first argument. Empty if the user passed no argument. */
      readonly argument: string;
      /** All positional arguments. */
      readonly arguments: readonly string[];
      /** Values of the flags on the command line, by the name of the flag. */
      readonly flags: ReadonlyMap<string, string>;
      /** For each flag with `isRepeated`, all values on the command line, in the order in which the user wrote them. */
      readonly flagLists: ReadonlyMap<string, readonly string[]>;
    }
  /** The user requested the help or the version. The caller prints `text` to stdout and exits with 0. */
  | { readonly kind: 'show'; readonly text: string }
  /** The caller prints `message` to stderr. */
  | { readonly kind: 'invalid'; readonly reason: 'ExcessArguments' | 'Other'; readonly message: string };

/**
 * Parses flags of the form `--flag=value` or `--flag value`, and booleans also in the form `--flag`. The last value of
 * a repeated flag wins, unless the flag has `isRepeated`.
 * @param args Arguments after the command name.
 */
export function parseCommandLine(commandLine: CommandLine, args: readonly string[]): ParsedCommandLine {
  const output: string[] = [];
  const command = createCommand(commandLine).configureOutput({
    writeOut: (text) => output.push(text),
    writeErr: () => {},
    getOutHelpWidth: () => commandLine.width ?? HELP_WIDTH,
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
  const values = command.opts();
  return {
    kind: 'ok',
    argument,
    arguments: command.args,
    flags: readFlags(commandLine, values),
    flagLists: readFlagLists(commandLine, values),
  };
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
  const placeholder = isRepeated ? `${name}...` : name;
  return new Argument(isOptional ? `[${placeholder}]` : `<${placeholder}>`, description);
}

function createOption({
  name,
  short,
  value,
  isBoolean,
  isRepeated,
  description,
  default: fallback,
  group,
  isHidden,
}: FlagDefinition): Option {
  const flagNames = short === undefined ? `--${name}` : `-${short}, --${name}`;
  const help = fallback === '' ? description : `${description.replace(/\.$/, '')} (default: ${fallback}).`;
  const option = new Option(
    value === undefined ? flagNames : `${flagNames} ${isBoolean ? `[${value}]` : `<${value}>`}`,
    help,
  );
  // Go programs accept `-o=json` as well as `-o json`. For `-o=json`, Commander passes the value `=json`.
  const toText = (argument: string) => (short === undefined ? argument : argument.replace(/^=/, ''));
  if (isRepeated) option.argParser<readonly string[]>((argument, previous = []) => [...previous, toText(argument)]);
  else if (short !== undefined && value !== undefined) option.argParser<string>(toText);
  option.hideHelp(isHidden ?? false);
  return group === undefined ? option : option.helpGroup(`${group}:`);
}

type OptionValues = Readonly<Record<string, string | boolean | readonly string[]>>;

function readFlags({ flags }: CommandLine, optionValues: OptionValues): ReadonlyMap<string, string> {
  return new Map(
    flags.flatMap(({ name }) => {
      const option = new Option(`--${name}`);
      const optionValue = optionValues[option.attributeName()];
      // Commander treats `--no-browser` as the opposite of `--browser`, which is true by default.
      if (option.negate) return optionValue === false ? [[name, 'true'] as const] : [];
      return optionValue === undefined ? [] : [[name, String(optionValue)] as const];
    }),
  );
}

function readFlagLists({ flags }: CommandLine, optionValues: OptionValues): ReadonlyMap<string, readonly string[]> {
  return new Map(
    flags.flatMap(({ name }) => {
      const values = optionValues[new Option(`--${name}`).attributeName()];
      return Array.isArray(values) ? [[name, values] as const] : [];
    }),
  );
}
