/** The type of a command. Help, completion and documentation are generated from the commands. */
import type { Clock } from 'controller-runtime';
import type { CommandLine } from 'controller-runtime/internal';
import type { ClusterSession, SessionOptions } from './cluster-session.ts';
import type { PageFiles } from './ui-server/page-file-names.ts';

/** Input and output of a command. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /**
   * Writes the output of a container unchanged, and resolves when the stream accepts more data. `undefined` if stdout is a
   * terminal, because the output could contain control sequences.
   */
  readonly writeRaw?: ((bytes: Uint8Array) => void | Promise<void>) | undefined;
  readonly readStdin: () => AsyncIterable<Uint8Array>;
  /** The width of the screen in columns. `undefined` if stdout is a file or a pipe, so that the command does not truncate texts. */
  readonly width?: number | undefined;
  readonly hasColors: boolean;
}

export interface Invocation {
  readonly command: Command;
  /** The first argument; empty if there is no argument. */
  readonly argument: string;
  readonly arguments: readonly string[];
  /** The values of the flags on the command line, by flag name. */
  readonly flagValues: ReadonlyMap<string, string>;
  /** All values of the flags with `isRepeated`, by flag name. */
  readonly flagLists: ReadonlyMap<string, readonly string[]>;
  readonly terminal: Terminal;
  /** The time at which the command started. */
  readonly now: Date;
  /** The IANA name of the user's time zone. Default: UTC. */
  readonly localZone?: string;
  readonly clock: Clock;
  /** The signal that Ctrl-C aborts. */
  readonly signal: AbortSignal;
  readonly connect: (options: SessionOptions) => ClusterSession;
  /** The files of the web page of `kubectl tcj ui`. Default: the files in dist/ui. */
  readonly pageFiles?: PageFiles;
}

export interface ClusterInvocation extends Invocation {
  readonly session: ClusterSession;
}

export interface CommandExample {
  /** An imperative sentence without a period, such as `Print the logs of an older run`. */
  readonly task: string;
  /** The command whose output is piped into `kubectl tcj`, such as `helm template . | `. */
  readonly pipedFrom?: string;
  /** The arguments of `kubectl tcj`, separated by spaces. */
  readonly args: string;
}

/**
 * The values that shell completion suggests for an argument or a flag. `sources` stands for the names of batch/v1 CronJobs, and
 * `runs` for the runs of the CronJob on the command line.
 */
export type CompletionValues =
  | 'cronJobs'
  | 'sources'
  | 'runs'
  | 'namespaces'
  | 'contexts'
  | 'files'
  | 'anything'
  | readonly string[];

export type CommandFlag = Omit<CommandLine['flags'][number], 'default'> & {
  /** The default value as text, such as `24h`. */
  readonly default?: string;
  /** Default: `anything`. */
  readonly values?: CompletionValues;
};

export type CommandArgument = NonNullable<CommandLine['argument']> & { readonly values: CompletionValues };

export type ExitCode = readonly [code: number, meaning: string];

export interface Command {
  readonly name: string;
  /** One or more imperative sentences. `kubectl tcj --help` shows only the first sentence. */
  readonly description: string;
  readonly argument?: CommandArgument;
  readonly flags: readonly CommandFlag[];
  readonly examples: readonly CommandExample[];
  /** The exit codes that the help explains. By default, the help explains only the exit codes that all commands share. */
  readonly exitCodes?: readonly ExitCode[];
  /** Returns the hint for a command line with too many arguments. */
  readonly explainExcessArguments?: (args: readonly string[]) => string;
  /** Whether Ctrl-C exits the process immediately. Default: Ctrl-C aborts the signal, so that the command can clean up. */
  readonly shouldExitOnInterrupt?: boolean;
  /** The last paragraph of the help. */
  readonly epilogue?: string;
  /** Returns the exit code. Rejects with a {@link UsageError} for invalid flag values. */
  readonly run: (invocation: Invocation) => Promise<number>;
}

/** An error for invalid flags or arguments. The message says how to correct the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An error whose message the user sees unchanged. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The exit code that shells use after Ctrl-C. */
export const INTERRUPTED_EXIT_CODE = 130;

/** The exit code of a failed command. For an invalid command line, the exit code is `USAGE_EXIT_CODE` of controller-runtime. */
export const FAILED_EXIT_CODE = 1;
