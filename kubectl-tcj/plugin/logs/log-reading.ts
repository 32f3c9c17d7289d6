/** Reads the log of one container, over as many streams as needed. */
import { type Cancel, type Clock, findApiError, streamPodLogs } from 'controller-runtime';
import { messageOf } from '../message-of.ts';
import { isPassing, lacksCredentials } from '../reconnecting.ts';
import type { ContainerLog } from './container-logs.ts';
import { LogPlace } from './log-place.ts';
import type { Asking, LogSink, LogTarget, RunLogsOptions } from './log-target.ts';

/** A stream without data for longer may be dead: another stream continues from there. */
const SILENCE_MS = 60_000;

interface LogReadingOptions {
  readonly options: RunLogsOptions;
  readonly asking: Asking;
  readonly sink: LogSink;
  readonly note: LogTarget['note'];
}

/** `Broken`: the log may have more. `Failed`: no more can be read, which was noted. */
type State = { readonly kind: 'Reading' | 'Ended' | 'Failed' } | { readonly kind: 'Broken'; readonly failure: unknown };

export class LogReading {
  readonly #log: ContainerLog;
  readonly #options: LogReadingOptions;
  readonly #follows: boolean;
  readonly #place: LogPlace;
  #state: State = { kind: 'Reading' };
  #hasBegun = false;
  #noted = '';
  /** Resolves when the stream has ended. Rejects for faults of the program, and when the signal aborts. */
  done: Promise<void> = Promise.resolve();

  constructor(log: ContainerLog, options: LogReadingOptions) {
    this.#log = log;
    this.#options = options;
    this.#follows = options.options.isOver !== undefined;
    this.#place = new LogPlace(this.#follows);
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
  async goOn({ isRunning }: ContainerLog): Promise<void> {
    if (this.isBroken || (this.#state.kind === 'Ended' && isRunning)) this.begin();
    else if (this.#state.kind === 'Ended') await this.#options.sink.end();
  }

  /** @returns whether the log could be read to its end. */
  async end(): Promise<boolean> {
    await this.done;
    if (this.#state.kind === 'Broken') await this.#note(messageOf(this.#state.failure) ?? String(this.#state.failure));
    await this.#options.sink.end();
    return this.#state.kind === 'Ended';
  }

  async #read(): Promise<void> {
    const { asking } = this.#options;
    const silence = new Silence(asking.clock, asking.signal);
    try {
      await this.#pass(silence);
      this.#state = { kind: 'Ended' };
    } catch (failure) {
      if (asking.signal.aborted) throw failure;
      await this.#failed(failure, silence.isOver);
    } finally {
      silence.end();
    }
  }

  /** Reads one stream to its end. */
  async #pass(silence: Silence): Promise<void> {
    const { options, asking, sink } = this.#options;
    const { pod: name, container } = this.#log;
    const { namespace, tailLines } = options;
    const { sinceTime } = this.#place;
    const chunks = await streamPodLogs(
      asking.session.transport,
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
    this.#place.begin();
    for await (const chunk of chunks) {
      this.#hasBegun = true;
      // The time that a slow sink takes does not count as silence.
      silence.end();
      await sink.pieces(this.#place.piecesOf(chunk));
      silence.begin();
    }
    await sink.pieces(this.#place.rest());
  }

  async #failed(failure: unknown, isSilent: boolean): Promise<void> {
    const message = messageOf(failure);
    if (message === undefined && !isSilent) throw failure;
    const mayPass = isSilent || isPassing(failure) || lacksCredentials(failure);
    if (this.#follows && mayPass) {
      this.#state = { kind: 'Broken', failure };
      // Another message already says that the API server cannot be reached.
      if (!isSilent && findApiError(failure) !== undefined) await this.#note(`${message}; reconnecting`);
      return;
    }
    this.#state = { kind: 'Failed' };
    await this.#note(message ?? String(failure));
  }

  async #note(text: string): Promise<void> {
    if (text === this.#noted) return;
    this.#noted = text;
    await this.#options.note(`${this.#log.id}: ${text}`);
  }
}

/** Ends a stream without data for a long time. */
class Silence {
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
