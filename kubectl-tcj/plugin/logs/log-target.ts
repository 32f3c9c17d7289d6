/** What of the logs of a run is read, with what, and where it goes to. */
import type { Clock } from 'controller-runtime';
import type { Session } from '../session.ts';
import type { ContainerLog } from './container-logs.ts';
import type { JobKey } from './job-objects.ts';
import type { Piece } from './log-place.ts';

export interface RunLogsOptions extends JobKey {
  /** Only this container. All when absent. */
  readonly container?: string | undefined;
  readonly tailLines?: number | undefined;
  /** Goes on until this resolves to true, also with Pods that are yet to come. Absent: what there is now. */
  readonly isOver?: (() => Promise<boolean>) | undefined;
  /** Notes at once that a container has not started, not only when it is over. Default false. */
  readonly notesWaits?: boolean;
}

/** What has been read when it is over. */
export interface LogsRead {
  /** How many logs. */
  readonly read: number;
  /** How many could not be read. */
  readonly failed: number;
  /** Names of all there are in the Pods, also when only one was asked for. Empty without Pods. */
  readonly containers: readonly string[];
}

/** Where a log goes to. What is slow to take a piece keeps that log waiting. */
export interface LogSink {
  pieces(pieces: readonly Piece[]): void | Promise<void>;
  /** There is no more. May be called again. */
  end(): void | Promise<void>;
}

/** Where all of them go to. */
export interface LogTarget {
  /** @param isOnly There is no other one yet. */
  begin(log: ContainerLog, isOnly: boolean): LogSink;
  /** Takes a sentence: why there is no log. */
  note(text: string): void | Promise<void>;
}

export interface Asking {
  readonly session: Pick<Session, 'client' | 'transport'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
