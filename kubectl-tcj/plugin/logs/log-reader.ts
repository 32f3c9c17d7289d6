/** Reads the log of one container, over as many streams as needed. */
import { type Cancel, type Clock, findApiError, streamPodLogs } from 'controller-runtime';
import { formatError } from '../error-message.ts';
import { isTemporary, lacksCredentials } from '../reconnecting-session.ts';
import type { ContainerLog } from './container-logs.ts';
import { LogPosition } from './log-position.ts';
import type { LogAccess, LogSink, LogTarget, RunLogsOptions } from './log-target.ts';

/** A stream without data for longer may be dead: another stream continues from there. */
const SILENCE_MS = 60_000;

interface LogReaderOptions {
  readonly options: RunLogsOptions;
  readonly access: LogAccess;
  readonly sink: LogSink;
  readonly note: LogTarget['note'];
}

/** `Broken`: the log may have more. `Failed`: no more can be read, which was noted. */
type ReaderState =
  | { readonly kind: 'Reading' | 'Ended' | 'Failed' }
  | { readonly kind: 'Broken'; readonly failure: unknown };

export class LogReader {
  readonly #log: ContainerLog;
  readonly #options: LogReaderOptions;
  readonly #follows: boolean;
  readonly #position: LogPosition;
  #state: ReaderState = { kind: 'Reading' };
  #hasBegun = false;
  #lastReport = '';
  /** Resolves when the stream has ended. Rejects for faults of the program, and when the signal aborts. */
  done: Promise<void> = Promise.resolve();

  constructor(log: ContainerLog, options: LogReaderOptions) {
    this.#log = log;
    this.#options = options;
    this.#follows = options.options.isOver !== undefined;
    this.#position = new LogPosition(this.#follows);
  }

  get isBroken(): boolean {
    return this.#state.kind === 'Broken';
  }

  begin(): void {
    this.#state = { kind: 'Reading' };
    this.done = this.#read();
    // The caller that awaits it handles the error; if the command ends before, no caller does.
    this.done.catch(() => {});
  }

  /** Continues after a stream that ended early. @param log The current state of the log. */
  async resume({ isRunning }: ContainerLog): Promise<void> {
    if (this.isBroken || (this.#state.kind === 'Ended' && isRunning)) this.begin();
    else if (this.#state.kind === 'Ended') await this.#options.sink.end();
  }

  /** @returns whether the log could be read to its end. */
  async end(): Promise<boolean> {
    await this.done;
    if (this.#state.kind === 'Broken')
      await this.#reportOnce(formatError(this.#state.failure) ?? String(this.#state.failure));
    await this.#options.sink.end();
    return this.#state.kind === 'Ended';
  }

  async #read(): Promise<void> {
    const { access } = this.#options;
    const silence = new SilenceTimer(access.clock, access.signal);
    try {
      await this.#readStream(silence);
      this.#state = { kind: 'Ended' };
    } catch (failure) {
      if (access.signal.aborted) throw failure;
      await this.#handleFailure(failure, silence.isOver);
    } finally {
      silence.end();
    }
  }

  /** Reads one stream to its end. */
  async #readStream(silence: SilenceTimer): Promise<void> {
    const { options, access, sink } = this.#options;
    const { pod: name, container } = this.#log;
    const { namespace, tailLines } = options;
    const { sinceTime } = this.#position;
    const chunks = await streamPodLogs(
      access.session.transport,
      { namespace, name },
      {
        container,
        follow: this.#follows,
        signal: silence.signal,
        ...(this.#follows && { timestamps: true }),
        ...(sinceTime !== undefined && { sinceTime }),
        ...(tailLines !== undefined && !this.#hasBegun && { tailLines }),
      },
    );
    this.#position.begin();
    for await (const chunk of chunks) {
      this.#hasBegun = true;
      // The time that a slow sink takes does not count as silence.
      silence.end();
      await sink.pieces(this.#position.readPieces(chunk));
      silence.begin();
    }
    await sink.pieces(this.#position.rest());
  }

  async #handleFailure(failure: unknown, isSilent: boolean): Promise<void> {
    const message = formatError(failure);
    if (message === undefined && !isSilent) throw failure;
    const isRetriable = isSilent || isTemporary(failure) || lacksCredentials(failure);
    if (this.#follows && isRetriable) {
      this.#state = { kind: 'Broken', failure };
      // Another message already says that the API server cannot be reached.
      if (!isSilent && findApiError(failure) !== undefined) await this.#reportOnce(`${message}; reconnecting`);
      return;
    }
    this.#state = { kind: 'Failed' };
    await this.#reportOnce(message ?? String(failure));
  }

  async #reportOnce(text: string): Promise<void> {
    if (text === this.#lastReport) return;
    this.#lastReport = text;
    await this.#options.note(`${this.#log.id}: ${text}`);
  }
}

/** Ends a stream without data for a long time. */
class SilenceTimer {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  /** Aborts after the silence, or with the given signal. */
  readonly signal: AbortSignal;
  #cancel: Cancel = () => {};

  constructor(clock: Clock, outer: AbortSignal) {
    this.#clock = clock;
    this.signal = AbortSignal.any([outer, this.#controller.signal]);
    this.begin();
  }

  get isOver(): boolean {
    return this.#controller.signal.aborted;
  }

  begin(): void {
    this.end();
    this.#cancel = this.#clock.schedule(SILENCE_MS, () => this.#controller.abort(new Error('the log is silent')));
  }

  end(): void {
    this.#cancel();
  }
}
