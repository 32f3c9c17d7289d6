/** Options to read the logs of a run, and interfaces to write the logs. */
import type { Clock } from 'controller-runtime';
import type { ClusterSession } from '../cluster-session.ts';
import type { ContainerLog } from './container-logs.ts';
import type { LineFragment } from './log-position.ts';
import type { JobKey } from './pods-and-events.ts';

export interface RunLogsOptions extends JobKey {
  /** The container to read. Default: all containers. */
  readonly container?: string | undefined;
  readonly tailLines?: number | undefined;
  /**
   * Returns whether the run has finished. The reader waits for new lines and new Pods until the run has finished. Default: the
   * reader reads only the existing logs.
   */
  readonly isRunFinished?: (() => Promise<boolean>) | undefined;
  /** Whether to report immediately, instead of after the logs, that a container has not started. Default: false. */
  readonly shouldReportWaits?: boolean;
}

/** The result of reading the logs of a run. */
export interface LogSummary {
  /** The number of logs that were read completely. */
  readonly readCount: number;
  /** The number of logs that could not be read. */
  readonly failedCount: number;
  /** The names of all containers in the Pods, even if only one container was requested. */
  readonly containerNames: readonly string[];
}

/** The destination of one log. The reader of the log waits for a slow sink. */
export interface LogSink {
  write(fragments: readonly LineFragment[]): void | Promise<void>;
  /** Ends the log. A second call of `end` has no effect. */
  end(): void | Promise<void>;
}

export interface LogTarget {
  /** @param isOnlyLog Whether the run has a single log so far. */
  openSink(log: ContainerLog, isOnlyLog: boolean): LogSink;
  /** Reports the reason that a log is missing. */
  note(text: string): void | Promise<void>;
}

export interface LogAccess {
  readonly session: Pick<ClusterSession, 'client' | 'transport'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
