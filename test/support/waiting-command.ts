/** A command that waits for an event at an API server in memory, and a clock that advances meanwhile. */
import { eventually, FakeApiServer, FakeClock } from 'controller-runtime/testing';
import { CronJob, type CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { CapturedTerminal } from './captured-terminal.ts';
import { cronJob } from './cron-jobs.ts';
import { runTcj } from './run-tcj.ts';

const STEP_MS = 2_000;

export class WaitingCommand implements AsyncDisposable {
  readonly server: FakeApiServer;
  readonly clock = new FakeClock('2026-01-01T00:00:00Z');
  readonly terminal: CapturedTerminal;
  readonly #ending = new AbortController();
  #running: Promise<number> | undefined;
  #code: number | undefined;

  private constructor(server: FakeApiServer, terminal: CapturedTerminal) {
    this.server = server;
    this.terminal = terminal;
  }

  /** On a server with the CronJob `hello`, which a manager has seen. */
  static async open(terminal: CapturedTerminal = new CapturedTerminal()): Promise<WaitingCommand> {
    const command = new WaitingCommand(await FakeApiServer.start(), terminal);
    command.status({});
    return command;
  }

  /** Writes the status of a manager. */
  status(status: CronJobStatus): void {
    const { spec, metadata } = this.server.get(CronJob, { namespace: 'default', name: 'hello' }) ?? cronJob();
    this.server.put(CronJob, { metadata, spec, status: { observedGeneration: 1, ...status } });
  }

  start(...args: readonly string[]): void {
    const { server, clock, terminal } = this;
    this.#running = runTcj(server, args, { terminal, clock, signal: this.#ending.signal });
    void this.#running.then((code) => {
      this.#code = code;
    });
  }

  /** Advances the time until `assertion` does not throw. */
  async eventually<T>(assertion: () => T): Promise<T> {
    return await eventually(
      async () => {
        await this.clock.advance(STEP_MS);
        return assertion();
      },
      { intervalMs: 1 },
    );
  }

  /** Advances the time by this much; the command may send requests meanwhile. */
  async advance(ms: number): Promise<void> {
    const endMs = this.clock.monotonicMs() + ms;
    await this.eventually(() => {
      if (this.clock.monotonicMs() < endMs) throw new Error('not yet');
    });
  }

  /** Advances the time until the command has ended. @returns the exit code. */
  async exitCode(): Promise<number> {
    return await this.eventually(() => {
      if (this.#code === undefined) throw new Error(`it goes on: ${JSON.stringify(this.terminal.texts)}`);
      return this.#code;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running?.catch(() => {});
    await this.server.close();
  }
}
