/** Command lines as Go programs take them. The only file that knows Commander, which sees texts only: others say what they mean. */
import { Argument, Command, CommanderError, Option } from 'commander';

export interface CommandLine {
  /** As it is called: `manager`. */
  readonly name: string;
  readonly description: string;
  /** The argument it takes; none when absent. */
  readonly argument?: ArgumentText;
  readonly flags: readonly FlagText[];
  /** What `--version` shows; there is no such flag when absent. */
  readonly version?: string;
  /** More lines of usage, below the one that is made. */
  readonly usage?: string;
  /** Comes after the flags in the help. */
  readonly epilogue?: string;
  /** Columns of the help, but for the epilogue, which is shown as it is. Default 110. */
  readonly width?: number;
}

interface ArgumentText {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  /** It takes as many as are given. */
  readonly isRepeated?: boolean;
}

export interface FlagText {
  /** Without the dashes. */
  readonly name: string;
  /** One letter that stands for it. */
  readonly short?: string;
  /** What stands for the value in the help. Absent: it takes no value, and is `true` where it is given. */
  readonly value?: string;
  /** The flag alone is taken as well, and means `true`. */
  readonly isBoolean?: boolean;
  readonly description: string;
  /** As one would type it; empty when there is none. */
  readonly default: string;
  /** Heading in the help. */
  readonly group?: string;
}

export type ReadCommandLine =
  | {
      readonly kind: 'ok';
      /** Empty where it takes none, or none was given. */
      readonly argument: string;
      /** All of them; more than one only where the argument is repeated. */
      readonly arguments: readonly string[];
      /** By the names of the flags, those that were given. */
      readonly given: ReadonlyMap<string, string>;
    }
  /** Help or version: goes to stdout, and the exit code is 0. */
  | { readonly kind: 'show'; readonly text: string }
  /** Goes to stderr. */
  | { readonly kind: 'invalid'; readonly reason: 'ExcessArguments' | 'Other'; readonly message: string };

/**
 * Reads flags as `--flag=value`, `--flag value`, and for booleans `--flag` as well. The last one counts when a flag is repeated.
 * @param args What comes after the name.
 */
export function readCommandLine(line: CommandLine, args: readonly string[]): ReadCommandLine {
  const shown: string[] = [];
  const command = commandOf(line).configureOutput({
    writeOut: (text) => shown.push(text),
    writeErr: () => {},
    getOutHelpWidth: () => line.width ?? HELP_WIDTH,
  });
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'show', text: shown.join('') };
    const reason = error.code === 'commander.excessArguments' ? 'ExcessArguments' : 'Other';
    return { kind: 'invalid', reason, message: error.message.replace(/^error: /, '') };
  }
  const [argument = ''] = command.args;
  return { kind: 'ok', argument, arguments: command.args, given: givenFlags(line, command.opts()) };
}

const HELP_WIDTH = 110;

function commandOf({ name, description, argument, flags, version, usage, epilogue }: CommandLine): Command {
  const command = new Command(name)
    .description(description)
    .helpOption('-h, --help', 'Show this text.')
    .allowExcessArguments(false)
    .exitOverride();
  if (argument) command.addArgument(argumentOf(argument));
  if (version !== undefined) command.version(version, '--version', 'Show the version.');
  if (usage !== undefined) command.usage(`${command.usage()}\n       ${usage}`);
  if (epilogue !== undefined) command.addHelpText('after', `\n${epilogue}`);
  for (const flag of flags) command.addOption(optionOf(flag));
  return command;
}

function argumentOf({ name, description, isOptional, isRepeated }: ArgumentText): Argument {
  const words = isRepeated ? `${name}...` : name;
  return new Argument(isOptional ? `[${words}]` : `<${words}>`, description);
}

function optionOf({ name, short, value, isBoolean, description, default: fallback, group }: FlagText): Option {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  const words = fallback === '' ? description : `${description} Default ${fallback}.`;
  const option = new Option(value === undefined ? names : `${names} ${isBoolean ? `[${value}]` : `<${value}>`}`, words);
  // Go's programs take `-o=json` for `-o json`; here it arrives as `=json`.
  if (short !== undefined && value !== undefined) option.argParser((given) => given.replace(/^=/, ''));
  return group === undefined ? option : option.helpGroup(`${group}:`);
}

function givenFlags(
  { flags }: CommandLine,
  texts: Readonly<Record<string, string | boolean>>,
): ReadonlyMap<string, string> {
  return new Map(
    flags.flatMap(({ name }) => {
      const option = new Option(`--${name}`);
      const text = texts[option.attributeName()];
      // To Commander `--no-browser` is the opposite of `--browser`, which is true unless it is given.
      if (option.negate) return text === false ? [[name, 'true'] as const] : [];
      return text === undefined ? [] : [[name, String(text)] as const];
    }),
  );
}
