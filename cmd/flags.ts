/** Reads the manager's command line by the table of its flags. */
import { readCommandLine } from './command-line.ts';
import { FLAGS, type Flag, type ManagerFlags } from './flag-table.ts';
import { bool } from './flag-values.ts';

export type ParsedFlags =
  | { readonly kind: 'run'; readonly flags: ManagerFlags }
  /** Help or version: goes to stdout, and the exit code is 0. */
  | { readonly kind: 'show'; readonly text: string }
  /** Goes to stderr, and the exit code is `USAGE_EXIT_CODE`. */
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * Reads the manager's flags.
 * @param args What comes after the name of the program.
 * @param version What `--version` shows.
 */
export function parseFlags(args: readonly string[], version: string): ParsedFlags {
  const flags = Object.values<Flag<unknown>>(FLAGS).map((flag) => ({ ...flag, isBoolean: flag.parse === bool }));
  const description = 'Runs the controllers that make Jobs from CronJobs.';
  const read = readCommandLine(
    { name: 'manager', description, flags, version, usage: USAGE, epilogue: COMMANDS },
    args,
  );
  switch (read.kind) {
    case 'ok':
      return valuesOf(read.given);
    case 'show':
      return read;
    case 'invalid':
      return { kind: 'invalid', message: `${read.message}\n${SEE_HELP}` };
  }
}

const USAGE = 'manager schedule <schedule> [options]';
const COMMANDS = `Commands:
  schedule <schedule>                      Say what a schedule means and when it runs next. Needs no cluster.`;
const SEE_HELP = 'see --help for all flags';

/** Every flag's value, or all that is wrong with them at once. */
function valuesOf(texts: ReadonlyMap<string, string>): ParsedFlags {
  const entries = Object.entries<Flag<unknown>>(FLAGS).map(([key, flag]) => {
    const given = texts.get(flag.name) ?? flag.default;
    return { key, flag, given, parsed: flag.parse(given) };
  });
  const problems = entries.flatMap(({ flag, given, parsed }) =>
    parsed.kind === 'invalid' ? [`--${flag.name}: "${given}" is not valid: ${parsed.message}`] : [],
  );
  if (problems.length > 0) return { kind: 'invalid', message: problems.join('\n') };
  const values = entries.flatMap(({ key, parsed }) => (parsed.kind === 'ok' ? [[key, parsed.value] as const] : []));
  // One value for each key of the table, made by that key's own parse: that is what the type says.
  const flags = Object.fromEntries(values) as unknown as ManagerFlags;
  const contradiction = contradictionIn(flags);
  return contradiction === undefined ? { kind: 'run', flags } : { kind: 'invalid', message: contradiction };
}

function contradictionIn({ webhookCertPath, webhookCertSecret }: ManagerFlags): string | undefined {
  if (webhookCertPath === undefined || webhookCertSecret === undefined) return undefined;
  return '--webhook-cert-path and --webhook-cert-secret exclude each other: give the one for certificates that others make, the other for those that the manager makes';
}
