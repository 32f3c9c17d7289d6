/** Reads the log of one container. If the stream breaks, continues with a new stream. */
import { type Cancel, type Clock, streamPodLogs } from 'controller-runtime';
import { findNetworkErrorCode, formatError } from '../error-message.ts';
import { isTemporary, lacksCredentials } from '../reconnecting-cluster-session.ts';
import type { ContainerLog } from './container-logs.ts';
import { LogPosition } from './log-position.ts';
import type { LogAccess, LogSink, LogTarget, RunLogsOptions } from './log-target.ts';

/** A stream that receives no data for one minute is replaced by a new stream. */
const MAX_SILENCE_MS = 60_000;
const REPLACED_MESSAGE =
  'the rest of the log cannot be read: the connection was lost before the container restarted or its Pod was deleted';

interface LogReaderOptions {
  readonly options: RunLogsOptions;
  readonly access: LogAccess;
  readonly sink: LogSink;
  readonly note: LogTarget['note'];
}

/**
 * `Broken`: a new stream can read the rest of the log. `Failed`: the rest of the log cannot be read, and the user has seen the
 * error.
 */
type ReaderState =
  | { readonly kind: 'Reading' | 'Ended' | 'Failed' }
  | { readonly kind: 'Broken'; readonly failure: unknown };

export class LogReader {
  readonly #log: ContainerLog;
  readonly #options: LogReaderOptions;
  readonly #isFollowing: boolean;
  readonly #position: LogPosition;
  #state: ReaderState = { kind: 'Reading' };
  #hasReadData = false;
  #lastNote = '';
  /** Resolves at the end of the stream. Rejects if the signal aborts or the program has a bug. */
  streamEnd: Promise<void> = Promise.resolve();

  constructor(log: ContainerLog, options: LogReaderOptions) {
    this.#log = log;
    this.#options = options;
    this.#isFollowing = options.options.isRunFinished !== undefined;
    this.#position = new LogPosition(this.#isFollowing);
  }

  get isBroken(): boolean {
    return this.#state.kind === 'Broken';
  }

  begin(): void {
    this.#state = { kind: 'Reading' };
    this.streamEnd = this.#read();
    // The caller that awaits the promise handles the error. No caller awaits the promise if the command ends earlier.
    this.streamEnd.catch(() => {});
  }

  /**
   * Starts a new stream if the previous stream ended too early.
   * @param log The current state of the log.
   */
  async resume({ isRunning }: ContainerLog): Promise<void> {
    if (this.isBroken || (this.#state.kind === 'Ended' && isRunning)) this.begin();
    else if (this.#state.kind === 'Ended') await this.#options.sink.end();
  }

  /** Ends the log if its container has restarted or its Pod was deleted, because a new stream would read another log. */
  async endReplaced(): Promise<void> {
    if (this.isBroken) {
      this.#state = { kind: 'Failed' };
      await this.#reportOnce(REPLACED_MESSAGE);
    }
    if (this.#state.kind !== 'Reading') await this.#options.sink.end();
  }

  /** @returns whether the log was read completely. */
  async end(): Promise<boolean> {
    await this.streamEnd;
    if (this.#state.kind === 'Broken')
      await this.#reportOnce(formatError(this.#state.failure) ?? String(this.#state.failure));
    await this.#options.sink.end();
    return this.#state.kind === 'Ended';
  }

  async #read(): Promise<void> {
    const { access } = this.#options;
    const silenceTimer = new SilenceTimer(access.clock, access.signal);
    try {
      await this.#readStream(silenceTimer);
      this.#state = { kind: 'Ended' };
    } catch (failure) {
      if (access.signal.aborted) throw failure;
      await this.#handleFailure(failure, silenceTimer.hasExpired);
    } finally {
      silenceTimer.end();
    }
  }

  async #readStream(silenceTimer: SilenceTimer): Promise<void> {
    const { options, access, sink } = this.#options;
    const { pod: name, container } = this.#log;
    const { namespace, tailLines } = options;
    const { sinceTime } = this.#position;
    const chunks = await streamPodLogs(
      access.session.transport,
      { namespace, name },
      {
        container,
        follow: this.#isFollowing,
        signal: silenceTimer.signal,
        ...(this.#isFollowing && { timestamps: true }),
        ...(sinceTime !== undefined && { sinceTime }),
        ...(tailLines !== undefined && !this.#hasReadData && { tailLines }),
      },
    );
    this.#position.beginStream();
    for await (const chunk of chunks) {
      this.#hasReadData = true;
      // The timer stops while a slow sink writes.
      silenceTimer.end();
      await sink.write(this.#position.readFragments(chunk));
      silenceTimer.begin();
    }
    await sink.write(this.#position.flush());
  }

  async #handleFailure(failure: unknown, isSilent: boolean): Promise<void> {
    const message = formatError(failure);
    if (message === undefined && !isSilent) throw failure;
    const isRetriable = isSilent || isTemporary(failure) || lacksCredentials(failure);
    if (this.#isFollowing && isRetriable) {
      this.#state = { kind: 'Broken', failure };
      // Another message already reports that the API server is unreachable.
      if (!isSilent && findNetworkErrorCode(failure) === undefined) await this.#reportOnce(`${message}; reconnecting`);
      return;
    }
    this.#state = { kind: 'Failed' };
    await this.#reportOnce(message ?? `the API server has sent nothing for ${MAX_SILENCE_MS / 1000} s`);
  }

  async #reportOnce(text: string): Promise<void> {
    if (text === this.#lastNote) return;
    this.#lastNote = text;
    await this.#options.note(`${this.#log.id}: ${text}`);
  }
}

/** Aborts a stream that receives no data for {@link MAX_SILENCE_MS}. */
class SilenceTimer {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  /** Aborts after {@link MAX_SILENCE_MS} without data, or when the parent signal aborts. */
  readonly signal: AbortSignal;
  #cancel: Cancel = () => {};

  constructor(clock: Clock, parentSignal: AbortSignal) {
    this.#clock = clock;
    this.signal = AbortSignal.any([parentSignal, this.#controller.signal]);
    this.begin();
  }

  get hasExpired(): boolean {
    return this.#controller.signal.aborted;
  }

  begin(): void {
    this.end();
    this.#cancel = this.#clock.schedule(MAX_SILENCE_MS, () => this.#controller.abort(new Error('the log is silent')));
  }

  end(): void {
    this.#cancel();
  }
}
