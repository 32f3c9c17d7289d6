/** What a command is: the table of them makes the help, the completion and the documentation. */
import type { Clock, CommandLine } from 'controller-runtime';
import type { Session, SessionOptions } from './session.ts';
import type { PageFiles } from './ui-server/page-file-names.ts';

/** Where a command writes, and the input that it is given. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /**
   * Takes what a container has printed as it is, and resolves when there is room for more. Absent where a person would read it: on a screen
   * nothing is printed that could steer it.
   */
  readonly raw?: ((bytes: Uint8Array) => void | Promise<void>) | undefined;
  /** The standard input, in parts. */
  readonly read: () => AsyncIterable<Uint8Array>;
  /** Columns of the screen. Absent where the output goes to a file or to a program: nothing is cut then. */
  readonly width?: number | undefined;
  readonly hasColors: boolean;
}

/** What a command is given. */
export interface Invocation {
  readonly command: Command;
  /** Empty where it takes none. */
  readonly argument: string;
  /** All of them, where it takes several. */
  readonly arguments: readonly string[];
  /** By the names of the flags, those that were given. */
  readonly given: ReadonlyMap<string, string>;
  readonly terminal: Terminal;
  /** When the command was given. */
  readonly now: Date;
  /** IANA name: where the person is. Default UTC. */
  readonly localZone?: string;
  /** For waiting. */
  readonly clock: Clock;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly connect: (options: SessionOptions) => Session;
  /** The page of `ui`. Default what the build has made. */
  readonly page?: PageFiles;
}

/** What a command at a cluster is given. */
export interface ClusterInvocation extends Invocation {
  readonly session: Session;
}

export interface Example {
  /** What one wants. */
  readonly wish: string;
  /** Before `kubectl tcj`: what is piped into it. */
  readonly before?: string;
  /** Behind `kubectl tcj`. */
  readonly line: string;
}

/** What may stand at a place of the command line: the completion offers it. `sources` are CronJobs of batch/v1, `runs` those of the argument. */
export type Values =
  | 'cronJobs'
  | 'sources'
  | 'runs'
  | 'namespaces'
  | 'contexts'
  | 'files'
  | 'anything'
  | readonly string[];

export type Flag = Omit<CommandLine['flags'][number], 'default'> & {
  /** As one would type it. */
  readonly default?: string;
  /** Default `anything`. */
  readonly values?: Values;
};

export type Argument = NonNullable<CommandLine['argument']> & { readonly values: Values };

export type ExitCode = readonly [code: number, meaning: string];

export interface Command {
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  readonly argument?: Argument;
  readonly flags: readonly Flag[];
  readonly examples: readonly Example[];
  /** What each exit code means, where it is not as everywhere. */
  readonly exitCodes?: readonly ExitCode[];
  /** Said to somebody who gives more arguments than it takes. */
  readonly excessHint?: (args: readonly string[]) => string;
  /** Nothing is to be put in order when it ends: Ctrl-C ends it whatever it is doing. Default: its signal aborts. */
  readonly endsAtOnce?: boolean;
  /** The last words of the help. */
  readonly epilogue?: string;
  /** Returns the exit code. Throws a {@link UsageError} for values that cannot be. */
  readonly run: (invocation: Invocation) => Promise<number>;
}

/** Flags that cannot be understood; the message says what to give. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure that a sentence explains. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** As shells have it for what Ctrl-C has ended. */
export const INTERRUPTED_EXIT_CODE = 130;

/** For what could not be done. Wrong usage has its own, of controller-runtime. */
export const FAILED_EXIT_CODE = 1;
