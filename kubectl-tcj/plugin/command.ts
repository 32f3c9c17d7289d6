/** The type of a command. Help, completion and documentation are generated from the table of commands. */
import type { Clock, CommandLine } from 'controller-runtime';
import type { Session, SessionOptions } from './session.ts';
import type { PageFiles } from './ui-server/page-file-names.ts';

/** Input and output of a command. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /**
   * Writes bytes from a container unchanged, and resolves when the output can take more. Absent for a terminal, because bytes from
   * a container could control it.
   */
  readonly raw?: ((bytes: Uint8Array) => void | Promise<void>) | undefined;
  /** Reads the standard input in parts. */
  readonly read: () => AsyncIterable<Uint8Array>;
  /** Columns of the screen. Absent when the output goes to a file or a program; then no text is cut. */
  readonly width?: number | undefined;
  readonly hasColors: boolean;
}

/** The arguments and the environment of a command. */
export interface Invocation {
  readonly command: Command;
  /** Empty when the command takes no argument. */
  readonly argument: string;
  /** All arguments of a command that takes several. */
  readonly arguments: readonly string[];
  /** Values of the given flags, by flag name. */
  readonly flagValues: ReadonlyMap<string, string>;
  readonly terminal: Terminal;
  /** When the command was started. */
  readonly now: Date;
  /** IANA name of the user's time zone. Default UTC. */
  readonly localZone?: string;
  /** Clock for waits. */
  readonly clock: Clock;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly connect: (options: SessionOptions) => Session;
  /** The files of the page for `ui`. Default: the files from the build. */
  readonly page?: PageFiles;
}

/** An invocation with a connection to a cluster. */
export interface ClusterInvocation extends Invocation {
  readonly session: Session;
}

export interface CommandExample {
  /** What the example does, as an imperative sentence without a period. */
  readonly task: string;
  /** The command before `kubectl tcj` in a pipe. */
  readonly before?: string;
  /** The command line after `kubectl tcj`. */
  readonly line: string;
}

/**
 * Values that the completion offers for an argument or a flag. `sources` are batch/v1 CronJobs, `runs` are runs of the CronJob in
 * the argument.
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
  /** Default value, as a user types it. */
  readonly default?: string;
  /** Values for completion. Default `anything`. */
  readonly values?: CompletionValues;
};

export type Argument = NonNullable<CommandLine['argument']> & { readonly values: CompletionValues };

export type ExitCode = readonly [code: number, meaning: string];

export interface Command {
  readonly name: string;
  /** Imperative sentences. The list of commands shows the first one. */
  readonly description: string;
  readonly argument?: Argument;
  readonly flags: readonly CommandFlag[];
  readonly examples: readonly CommandExample[];
  /** Meanings of the exit codes, where they differ from other commands. */
  readonly exitCodes?: readonly ExitCode[];
  /** Hint for a user who gives too many arguments. */
  readonly excessHint?: (args: readonly string[]) => string;
  /** Whether Ctrl-C ends the command immediately, because it has no cleanup. Default: Ctrl-C aborts the signal. */
  readonly exitsOnInterrupt?: boolean;
  /** Last paragraph of the help. */
  readonly epilogue?: string;
  /** Runs the command and returns the exit code. Throws a {@link UsageError} for invalid values. */
  readonly run: (invocation: Invocation) => Promise<number>;
}

/** Invalid flags; the message says what to give. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure with a sentence that explains it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The exit code that shells use after Ctrl-C. */
export const INTERRUPTED_EXIT_CODE = 130;

/** Exit code for a failed command. Wrong usage has its own exit code in controller-runtime. */
export const FAILED_EXIT_CODE = 1;
