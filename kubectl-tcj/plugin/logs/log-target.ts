/** Which logs of a run to read, how, and where to write them. */
import type { Clock } from 'controller-runtime';
import type { Session } from '../session.ts';
import type { ContainerLog } from './container-logs.ts';
import type { JobKey } from './job-objects.ts';
import type { Piece } from './log-position.ts';

export interface RunLogsOptions extends JobKey {
  /** Only this container. Absent: all containers. */
  readonly container?: string | undefined;
  readonly tailLines?: number | undefined;
  /** Continues until this resolves to true, including Pods that are created later. Absent: reads only the current logs. */
  readonly isOver?: (() => Promise<boolean>) | undefined;
  /** Whether to note immediately that a container has not started, instead of at the end. Default false. */
  readonly notesWaits?: boolean;
}

/** What was read by the end. */
export interface LogSummary {
  /** Number of logs that were read. */
  readonly read: number;
  /** Number of logs that could not be read. */
  readonly failed: number;
  /** Names of all containers in the Pods, even if only one was requested. Empty without Pods. */
  readonly containers: readonly string[];
}

/** Destination of one log. A sink that is slow to take a piece delays that log. */
export interface LogSink {
  pieces(pieces: readonly Piece[]): void | Promise<void>;
  /** Ends the log. May be called again. */
  end(): void | Promise<void>;
}

/** Destination of all logs. */
export interface LogTarget {
  /** @param isOnly Whether no other log has begun. */
  begin(log: ContainerLog, isOnly: boolean): LogSink;
  /** Takes a sentence that says why a log is missing. */
  note(text: string): void | Promise<void>;
}

export interface LogAccess {
  readonly session: Pick<Session, 'client' | 'transport'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
