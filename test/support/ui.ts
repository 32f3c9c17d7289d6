/** `kubectl tcj ui`, and a browser that has opened its URL. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Clock, SystemClock } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect } from 'vitest';
import { connect } from '../../kubectl-tcj/plugin/cluster-session.ts';
import { runCommand } from '../../kubectl-tcj/plugin/run-command.ts';
import type { PageFiles } from '../../kubectl-tcj/plugin/ui-server/page-file-names.ts';
import { CapturedTerminal } from './captured-terminal.ts';

const PAGE: PageFiles = new Map([
  ['/index.html', { type: 'text/html; charset=utf-8', body: '<!doctype html><title>the page</title>' }],
  ['/app.js', { type: 'text/javascript; charset=utf-8', body: 'void 0;' }],
]);

interface UiOptions {
  /** Path. */
  readonly kubeconfig: string;
  readonly clock?: Clock;
  readonly page?: PageFiles;
}

export interface Ui extends AsyncDisposable {
  readonly terminal: CapturedTerminal;
  readonly link: URL;
  /** A client that has opened the URL. */
  readonly browser: UiClient;
  /** Like Ctrl-C. @returns the exit code. */
  end(): Promise<number>;
}

/** Runs `kubectl tcj ui` with these arguments, without a browser. */
export async function openUi(
  words: readonly string[],
  { kubeconfig, clock = new SystemClock(), page = PAGE }: UiOptions,
): Promise<Ui> {
  const terminal = new CapturedTerminal();
  const ending = new AbortController();
  const running = runCommand(['ui', '--no-browser', ...words, '--kubeconfig', kubeconfig], {
    terminal,
    now: clock.now(),
    clock,
    signal: ending.signal,
    connect: (options) => connect(options, 'test'),
    pageFiles: page,
  });
  const link = await Promise.race([waitForLink(terminal), running.then((code) => failWithExitCode(code, terminal))]);
  const end = () => {
    ending.abort();
    return running;
  };
  const browser = await UiClient.with(link);
  return { terminal, link, browser, end, [Symbol.asyncDispose]: async () => void (await end()) };
}

async function waitForLink(terminal: CapturedTerminal): Promise<URL> {
  return await eventually(() => new URL(/^http\S+/.exec(terminal.texts.out)?.[0] ?? ''));
}

function failWithExitCode(code: number, terminal: CapturedTerminal): never {
  throw new Error(`it ended with ${code}: ${terminal.texts.err}`);
}

export interface UiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface UiRequest {
  readonly method?: string;
  /** `undefined`: without the header that is sent by default. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

export class UiClient {
  readonly port: number;
  readonly #cookie: string;

  constructor(port: number, cookie = '') {
    this.port = port;
    this.#cookie = cookie;
  }

  static async with(link: URL): Promise<UiClient> {
    const port = Number(link.port);
    const { headers } = await new UiClient(port).request(`/${link.search}`);
    return new UiClient(port, headers['set-cookie']?.[0]?.split(';')[0]);
  }

  async request(path: string, options: UiRequest = {}): Promise<UiResponse> {
    const response = await this.#send(path, options);
    return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
  }

  async json(path: string): Promise<unknown> {
    const { body } = await this.request(path);
    return JSON.parse(body);
  }

  async post(path: string, value: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await this.request(path, { method: 'POST', headers, body: JSON.stringify(value) });
    return { status, body: JSON.parse(body) };
  }

  async events(path: string): Promise<UiEvents> {
    const response = await this.#send(path, {});
    expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    return new UiEvents(response);
  }

  async #send(path: string, { method = 'GET', headers = {}, body }: UiRequest): Promise<IncomingMessage> {
    const allHeaders = Object.entries({ cookie: this.#cookie, ...headers }).filter(([, value]) => value);
    const outgoing = request({
      ...{ host: '127.0.0.1', port: this.port, path, method, agent: false },
      headers: Object.fromEntries(allHeaders) as Record<string, string>,
    });
    outgoing.end(body);
    const [response] = await once(outgoing, 'response');
    return response;
  }
}

export interface UiEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has others
  readonly data: any;
}

/** Events in the order of their arrival. */
export class UiEvents implements AsyncDisposable {
  readonly #response: IncomingMessage;
  readonly #received: UiEvent[] = [];
  #text = '';
  #hasEnded = false;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (piece: string) => this.#parse(piece));
    response.once('close', () => {
      this.#hasEnded = true;
    });
    response.on('error', () => {});
  }

  get received(): readonly UiEvent[] {
    return this.#received;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Stops reading; the other side notices when the buffers are full. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  /** The names of the CronJobs that a page would show now. */
  get listShownCronJobs(): readonly string[] {
    const byUid = new Map<string, string>();
    for (const { event, data } of this.#received) {
      if (event !== 'cronjobs') continue;
      for (const { metadata } of data.changed) byUid.set(metadata.uid, metadata.name);
      for (const uid of data.deleted) byUid.delete(uid);
    }
    return [...byUid.values()].toSorted();
  }

  /** The newest event `watch`. */
  get watch(): UiEvent['data'] {
    return this.#received.findLast(({ event }) => event === 'watch')?.data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#response.destroy();
  }

  #parse(piece: string): void {
    const events = (this.#text + piece).split('\n\n');
    this.#text = events.pop() ?? '';
    for (const each of events.filter((lines) => !lines.startsWith(':'))) {
      const [, , event = 'message', data = ''] = /^(event: (.*)\n)?data: (.*)$/.exec(each) ?? [];
      this.#received.push({ event, data: JSON.parse(data) });
    }
  }
}
