/** Flags of a program, read by a table that says how each is parsed, what it defaults to, and what the help says. */
import { printAndExit } from '../process/print-and-exit.ts';
import { readCommandLine } from './command-line.ts';
import { USAGE_EXIT_CODE } from './exit-code.ts';
import { bool, type Parsed } from './flag-values.ts';

export interface Flag<T> {
  /** Heading in the help. */
  readonly group: string;
  /** Without the dashes. */
  readonly name: string;
  /** What stands for the value in the help. */
  readonly value: string;
  /** As one would type it; empty when there is none. */
  readonly default: string;
  readonly description: string;
  readonly parse: (text: string) => Parsed<T>;
  /** A flag that cannot be given as well, by its name, and what to do then. Empty values, and defaults, count as not given. */
  readonly excludes?: { readonly flag: string; readonly advice: string };
}

/** Keys are names in code; they carry the unit that the flag itself leaves to its value. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The values of a table's flags, by its keys. */
export type FlagValues<Table extends FlagTable> = { readonly [K in keyof Table]: ValueOf<Table[K]> };

type ValueOf<F> = F extends { readonly parse: (text: string) => Parsed<infer T> } ? T : never;

export interface Program<Table extends FlagTable> {
  /** As it is called: `manager`. */
  readonly name: string;
  readonly description: string;
  /** What `--version` shows. */
  readonly version: string;
  readonly flags: Table;
  /** More lines of usage, below the one that is made. */
  readonly usage?: string;
  /** Comes after the flags in the help. */
  readonly epilogue?: string;
  /** What is wrong with values that are each right by themselves. Flags that exclude each other say so by `excludes`. */
  readonly contradictionIn?: (values: FlagValues<Table>) => string | undefined;
}

export type ParsedFlags<Table extends FlagTable> =
  | { readonly kind: 'run'; readonly flags: FlagValues<Table> }
  /** Help or version: goes to stdout, and the exit code is 0. */
  | { readonly kind: 'show'; readonly text: string }
  /** Goes to stderr, and the exit code is {@link USAGE_EXIT_CODE}. */
  | { readonly kind: 'invalid'; readonly message: string };

/** @param args What comes after the name of the program. */
export function parseFlags<Table extends FlagTable>(
  program: Program<Table>,
  args: readonly string[],
): ParsedFlags<Table> {
  const flags = Object.values(program.flags).map((flag) => ({ ...flag, isBoolean: flag.parse === bool }));
  const read = readCommandLine({ ...program, flags }, args);
  switch (read.kind) {
    case 'ok':
      return valuesOf(program, read.given);
    case 'show':
      return read;
    case 'invalid':
      return { kind: 'invalid', message: `${read.message}\n${SEE_HELP}` };
  }
}

/**
 * The values of the flags that this process was started with. Help and version are shown, and the process ends with 0; flags
 * that cannot be understood are complained about, and it ends with {@link USAGE_EXIT_CODE}.
 */
export async function flagsOfProcess<Table extends FlagTable>(program: Program<Table>): Promise<FlagValues<Table>> {
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
 * The values that a process with these flags would have, for scripts: `flagValues(FLAGS, ['--leader-elect'])`. Throws a TypeError
 * where the process would complain.
 * @param args Default none: every flag has its default.
 */
export function flagValues<Table extends FlagTable>(flags: Table, args: readonly string[] = []): FlagValues<Table> {
  const parsed = parseFlags({ name: '', description: '', version: '', flags }, args);
  if (parsed.kind === 'run') return parsed.flags;
  throw new TypeError(parsed.kind === 'invalid' ? parsed.message : `no flags: ${args.join(' ')}`);
}

const SEE_HELP = 'see --help for all flags';

/** Every flag's value, or all that is wrong with them at once. */
function valuesOf<Table extends FlagTable>(
  { flags: table, contradictionIn }: Program<Table>,
  texts: ReadonlyMap<string, string>,
): ParsedFlags<Table> {
  const entries = Object.entries<Flag<unknown>>(table).map(([key, flag]) => {
    const given = texts.get(flag.name) ?? flag.default;
    return { key, flag, given, parsed: flag.parse(given) };
  });
  const problems = entries.flatMap(({ flag, given, parsed }) =>
    parsed.kind === 'invalid' ? [`--${flag.name}: "${given}" is not valid: ${parsed.message}`] : [],
  );
  problems.push(...exclusions(Object.values(table), texts));
  if (problems.length > 0) return { kind: 'invalid', message: problems.join('\n') };
  const values = entries.flatMap(({ key, parsed }) => (parsed.kind === 'ok' ? [[key, parsed.value] as const] : []));
  // One value for each key of the table, made by that key's own parse: that is what the type says.
  const flags = Object.fromEntries(values) as unknown as FlagValues<Table>;
  const contradiction = contradictionIn?.(flags);
  return contradiction === undefined ? { kind: 'run', flags } : { kind: 'invalid', message: contradiction };
}

function exclusions(flags: readonly Flag<unknown>[], texts: ReadonlyMap<string, string>): readonly string[] {
  const isGiven = (name: string) => (texts.get(name) ?? '') !== '';
  return flags.flatMap(({ name, excludes }) =>
    excludes !== undefined && isGiven(name) && isGiven(excludes.flag)
      ? [`--${name} and --${excludes.flag} exclude each other: ${excludes.advice}`]
      : [],
  );
}
