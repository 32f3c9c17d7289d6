/**
 * Parses the flags of a program. A {@link FlagTable} contains the parser, the default and the help text of each flag.
 */
import { printAndExit } from '../process/print-and-exit.ts';
import { parseCommandLine } from './command-line.ts';
import { USAGE_EXIT_CODE } from './exit-code.ts';
import { bool, type Parsed } from './flag-values.ts';

/** A command-line flag. */
export interface Flag<T> {
  /** Heading under which the help lists the flag. */
  readonly group: string;
  /** Name of the flag without the dashes. */
  readonly name: string;
  /** Placeholder for the value in the help. */
  readonly value: string;
  /** Default value, in the form that a user types. Empty if the flag has no default. */
  readonly default: string;
  /** Help text of the flag: a sentence. */
  readonly description: string;
  /** Parses the text that a user types. Parses {@link default} if the user does not set the flag. */
  readonly parse: (text: string) => Parsed<T>;
  /** Another flag that the user must not combine with this flag, and advice for the error message. */
  readonly excludes?: { readonly flag: string; readonly advice: string };
}

/**
 * The flags of a program, by the name of the value in code. The name includes the unit: `syncPeriodMs` for
 * `--sync-period`.
 */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The parsed values of all flags, by the keys of the flag table. */
export type FlagValues<Table extends FlagTable> = { readonly [K in keyof Table]: ParsedValue<Table[K]> };

type ParsedValue<F> = F extends { readonly parse: (text: string) => Parsed<infer T> } ? T : never;

/** A program with flags: the argument of `parseFlags` and `parseProcessFlags`. */
export interface Program<Table extends FlagTable> {
  /** Name of the program: `manager`. */
  readonly name: string;
  /** First line of the help: a sentence. */
  readonly description: string;
  /** Output of `--version`. */
  readonly version: string;
  /** The flags, without `--help` and `--version`, which every program has. */
  readonly flags: Table;
  /** Additional usage lines, printed below the generated usage line. */
  readonly usage?: string;
  /** Text that the help prints after the flags. */
  readonly epilogue?: string;
  /**
   * Returns an error message if the flags contradict each other, else `undefined`. `validate` is called only if all
   * values are valid. For mutually exclusive flags, use `excludes`.
   */
  readonly validate?: (values: FlagValues<Table>) => string | undefined;
}

/** Result of {@link parseFlags}. */
export type ParsedFlags<Table extends FlagTable> =
  | { readonly kind: 'run'; readonly flags: FlagValues<Table> }
  /** The user requested the help or the version. The caller prints `text` to stdout and exits with 0. */
  | { readonly kind: 'show'; readonly text: string }
  /** The caller prints `message` to stderr and exits with 2. */
  | { readonly kind: 'invalid'; readonly message: string };

/** @param args Arguments after the program name. */
export function parseFlags<Table extends FlagTable>(
  program: Program<Table>,
  args: readonly string[],
): ParsedFlags<Table> {
  const flags = Object.values(program.flags).map((flag) => ({ ...flag, isBoolean: flag.parse === bool }));
  const commandLine = parseCommandLine({ ...program, flags }, args);
  switch (commandLine.kind) {
    case 'ok':
      return parseValues(program, commandLine.flags);
    case 'show':
      return commandLine;
    case 'invalid':
      return { kind: 'invalid', message: `${commandLine.message}\n${HELP_HINT}` };
  }
}

/**
 * Parses the command line of this process. With `--help` or `--version`, prints the help or the version, and exits with
 * 0. If a flag is invalid, prints the error and exits with 2.
 */
export async function parseProcessFlags<Table extends FlagTable>(program: Program<Table>): Promise<FlagValues<Table>> {
  const parsed = parseFlags(program, process.argv.slice(2));
  switch (parsed.kind) {
    case 'run':
      return parsed.flags;
    case 'show':
      return await printAndExit({ exitCode: 0, stdout: parsed.text });
    case 'invalid':
      return await printAndExit({ exitCode: USAGE_EXIT_CODE, stderr: `${program.name}: ${parsed.message}\n` });
  }
}

/**
 * Parses flags in a script: `parseFlagValues(FLAGS, ['--leader-elect'])`. Throws a TypeError for invalid flags.
 * @param args Arguments of the command line. Default: no arguments, so every flag has its default value.
 */
export function parseFlagValues<Table extends FlagTable>(
  flags: Table,
  args: readonly string[] = [],
): FlagValues<Table> {
  const parsed = parseFlags({ name: '', description: '', version: '', flags }, args);
  if (parsed.kind === 'run') return parsed.flags;
  throw new TypeError(parsed.kind === 'invalid' ? parsed.message : `no flags: ${args.join(' ')}`);
}

const HELP_HINT = 'see --help for all flags';

function parseValues<Table extends FlagTable>(
  { flags: table, validate }: Program<Table>,
  inputs: ReadonlyMap<string, string>,
): ParsedFlags<Table> {
  const parsedFlags = Object.entries<Flag<unknown>>(table).map(([key, flag]) => {
    const text = inputs.get(flag.name) ?? flag.default;
    return { key, flag, text, parsed: flag.parse(text) };
  });
  const problems = parsedFlags.flatMap(({ flag, text, parsed }) =>
    parsed.kind === 'invalid' ? [`--${flag.name}: "${text}" is not valid: ${parsed.message}`] : [],
  );
  problems.push(...findFlagConflicts(Object.values(table), inputs));
  if (problems.length > 0) return { kind: 'invalid', message: problems.join('\n') };
  const values = parsedFlags.flatMap(({ key, parsed }) => (parsed.kind === 'ok' ? [[key, parsed.value] as const] : []));
  // `FlagValues` contains the type that the parser of each flag returns.
  const flags = Object.fromEntries(values) as unknown as FlagValues<Table>;
  const problem = validate?.(flags);
  return problem === undefined ? { kind: 'run', flags } : { kind: 'invalid', message: problem };
}

function findFlagConflicts(flags: readonly Flag<unknown>[], inputs: ReadonlyMap<string, string>): readonly string[] {
  const isSet = (name: string) => (inputs.get(name) ?? '') !== '';
  return flags.flatMap(({ name, excludes }) =>
    excludes !== undefined && isSet(name) && isSet(excludes.flag)
      ? [`--${name} and --${excludes.flag} are mutually exclusive: ${excludes.advice}`]
      : [],
  );
}
