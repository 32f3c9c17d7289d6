/** Reads the flags of a program from a table with each flag's parser, default and help text. */
import { printAndExit } from '../process/print-and-exit.ts';
import { parseCommandLine } from './command-line.ts';
import { USAGE_EXIT_CODE } from './exit-code.ts';
import { bool, type Parsed } from './flag-values.ts';

export interface Flag<T> {
  /** Heading in the help. */
  readonly group: string;
  /** Name without the dashes. */
  readonly name: string;
  /** Placeholder for the value in the help. */
  readonly value: string;
  /** Default as a user would type it; empty when the flag has no default. */
  readonly default: string;
  readonly description: string;
  readonly parse: (text: string) => Parsed<T>;
  /**
   * The name of a flag that conflicts with this one, and advice for the user. Empty values and defaults do not
   * conflict.
   */
  readonly excludes?: { readonly flag: string; readonly advice: string };
}

/** Keys are names in code; a key has the unit of its flag's value. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The values of a table's flags, by their keys. */
export type FlagValues<Table extends FlagTable> = { readonly [K in keyof Table]: ParsedValue<Table[K]> };

type ParsedValue<F> = F extends { readonly parse: (text: string) => Parsed<infer T> } ? T : never;

export interface Program<Table extends FlagTable> {
  /** Name of the program: `manager`. */
  readonly name: string;
  readonly description: string;
  /** Output of `--version`. */
  readonly version: string;
  readonly flags: Table;
  /** Further usage lines, below the generated one. */
  readonly usage?: string;
  /** Shown after the flags in the help. */
  readonly epilogue?: string;
  /**
   * Returns what is wrong with values that are each valid but contradict each other. For mutually exclusive flags, use
   * `excludes`.
   */
  readonly validate?: (values: FlagValues<Table>) => string | undefined;
}

export type ParsedFlags<Table extends FlagTable> =
  | { readonly kind: 'run'; readonly flags: FlagValues<Table> }
  /** Help or version: print it to stdout and exit with 0. */
  | { readonly kind: 'show'; readonly text: string }
  /** Print it to stderr and exit with {@link USAGE_EXIT_CODE}. */
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
      return { kind: 'invalid', message: `${commandLine.message}\n${SEE_HELP}` };
  }
}

/**
 * Returns the flags of this process. For help and version, prints the text and exits with 0. For invalid flags, prints
 * the error and exits with {@link USAGE_EXIT_CODE}.
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
 * Returns the values that a process with these flags would have, for scripts: `parseFlagValues(FLAGS, ['--leader-elect'])`.
 * Throws a TypeError for invalid flags.
 * @param args Default: no flags, so that every flag has its default.
 */
export function parseFlagValues<Table extends FlagTable>(
  flags: Table,
  args: readonly string[] = [],
): FlagValues<Table> {
  const parsed = parseFlags({ name: '', description: '', version: '', flags }, args);
  if (parsed.kind === 'run') return parsed.flags;
  throw new TypeError(parsed.kind === 'invalid' ? parsed.message : `no flags: ${args.join(' ')}`);
}

const SEE_HELP = 'see --help for all flags';

/** Returns every flag's value, or all errors at once. */
function parseValues<Table extends FlagTable>(
  { flags: table, validate }: Program<Table>,
  texts: ReadonlyMap<string, string>,
): ParsedFlags<Table> {
  const entries = Object.entries<Flag<unknown>>(table).map(([key, flag]) => {
    const text = texts.get(flag.name) ?? flag.default;
    return { key, flag, text, parsed: flag.parse(text) };
  });
  const problems = entries.flatMap(({ flag, text, parsed }) =>
    parsed.kind === 'invalid' ? [`--${flag.name}: "${text}" is not valid: ${parsed.message}`] : [],
  );
  problems.push(...findExclusions(Object.values(table), texts));
  if (problems.length > 0) return { kind: 'invalid', message: problems.join('\n') };
  const values = entries.flatMap(({ key, parsed }) => (parsed.kind === 'ok' ? [[key, parsed.value] as const] : []));
  // Each key's value comes from that key's own parser, so it has the key's type.
  const flags = Object.fromEntries(values) as unknown as FlagValues<Table>;
  const problem = validate?.(flags);
  return problem === undefined ? { kind: 'run', flags } : { kind: 'invalid', message: problem };
}

function findExclusions(flags: readonly Flag<unknown>[], texts: ReadonlyMap<string, string>): readonly string[] {
  const isSet = (name: string) => (texts.get(name) ?? '') !== '';
  return flags.flatMap(({ name, excludes }) =>
    excludes !== undefined && isSet(name) && isSet(excludes.flag)
      ? [`--${name} and --${excludes.flag} are mutually exclusive: ${excludes.advice}`]
      : [],
  );
}
