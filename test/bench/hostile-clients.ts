/**
 * A client of the webhooks, forked by hostile-webhooks.ts. It either floods the webhooks, or sends good reviews as an API server does. Each
 * client is a separate process, so that the client that measures does not pay the cost of sending.
 *
 * Its first message is a {@link ClientTask}. It reports when it has started, and answers with its {@link RequestOutcome}s. Bodies and creates end on
 * their own, all other tasks at a second message.
 */
import { once } from 'node:events';
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { admissionReview, postReview } from 'controller-runtime/testing';
import { MAX_SCHEDULE_LENGTH, MAX_TIME_ZONE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';

export type FloodKind = 'bodies' | 'creates' | 'slow senders' | 'connections';

export interface ClientTask {
  readonly work: FloodKind | 'good reviews';
  readonly port: number;
  /** Source address of all hostile requests. */
  readonly localAddress: string;
}

export interface RequestOutcome {
  /** Time of the end, in milliseconds since the epoch. */
  readonly atMs: number;
  /** The status code of the response, or the reason for no response. */
  readonly result: string;
  /** The other fields are only for good reviews. */
  readonly tookMs?: number;
  /** Whether the review used a kept connection or a new one. */
  readonly connection?: 'kept' | 'new';
  /** How often the server asked for a retry. */
  readonly retries?: number;
}

type ServerAddress = Omit<ClientTask, 'work'>;

/** Path of the validating webhook. */
const PATH = '/validate-batch-tutorial-kubebuilder-io-v1-cronjob';
const MIB = 1024 * 1024;
/** All handshakes at once would take longer than the server waits for one. */
const HANDSHAKES = 50;
const MIN_REVIEWS = 100;
/** Timeout for the good client, in case it gets fewer responses than expected. */
const LONGEST_MS = 15_000;
const PAUSE_MS = 20;
/** `timeoutSeconds` of the webhooks. */
const TIMEOUT_MS = 10_000;

const outcomes: RequestOutcome[] = [];
const stop = new AbortController();
/** Aborted by the first outcome, or at the moment when all bodies are sent at once. */
const busy = new AbortController();

/** Resolves at the end of the task; resolves at once for a task without an end. */
async function run({ work, ...server }: ClientTask): Promise<void> {
  switch (work) {
    case 'bodies':
      openContinuously(server, 250, sendSlowly);
      return await sendAtOnce(server, createHostileBodies());
    case 'creates':
      return await sendAtOnce(server, createRefusedCreates());
    case 'slow senders':
      return openContinuously(server, 1_000, sendSlowly);
    case 'connections':
      return openContinuously(server, 1_500, () => {});
    case 'good reviews':
      return await sendGoodReviews(server);
  }
}

/** Each body uses its own connection, which is open before the first body is sent. */
async function sendAtOnce(server: ServerAddress, bodies: readonly string[]): Promise<void> {
  const sockets: TLSSocket[] = [];
  while (sockets.length < bodies.length) {
    const batch = Array.from({ length: Math.min(HANDSHAKES, bodies.length - sockets.length) }, () => open(server));
    await Promise.all(batch.map((socket) => once(socket, 'secureConnect').catch(() => {})));
    sockets.push(...batch);
  }
  busy.abort();
  await Promise.all(sockets.map((socket, index) => sendAndRead(socket, bodies[index] ?? '')));
  stop.abort();
}

async function sendAndRead(socket: TLSSocket, body: string): Promise<void> {
  if (socket.destroyed) return reportOutcome({ result: 'closed' });
  socket.write(`${createHead(Buffer.byteLength(body))}${body}`);
  const data = await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => []);
  reportOutcome({ result: data[0] instanceof Buffer ? parseStatusCode(data[0]) : 'closed' });
  socket.destroy();
}

/** Opens another connection whenever one is closed, until the task ends. */
function openContinuously(server: ServerAddress, count: number, use: (socket: TLSSocket) => void): void {
  if (stop.signal.aborted) return;
  for (let index = 0; index < count; index++) {
    const socket = open(server);
    let result = 'closed';
    const end = () => socket.destroy();
    stop.signal.addEventListener('abort', end);
    socket.on('data', (data) => {
      result = parseStatusCode(data);
    });
    socket.on('close', () => {
      stop.signal.removeEventListener('abort', end);
      if (!stop.signal.aborted) reportOutcome({ result });
      openContinuously(server, 1, use);
    });
    use(socket);
  }
}

async function sendGoodReviews({ port }: ServerAddress): Promise<void> {
  busy.abort();
  const keptAliveAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  const startedMs = performance.now();
  const hasEnough = (count: number) => count >= MIN_REVIEWS || performance.now() - startedMs > LONGEST_MS;
  for (let count = 0; !stop.signal.aborted || !hasEnough(count); count++) {
    await sendGoodReview(port, 'kept', keptAliveAgent);
    await sendGoodReview(port, 'new', false);
    await sleep(PAUSE_MS);
  }
}

/** Like client-go, retries when the server asks for a retry, and does not retry after a connection error. */
async function sendGoodReview(port: number, connection: 'kept' | 'new', agent: Agent | false): Promise<void> {
  const [startedMs, signal] = [performance.now(), AbortSignal.timeout(TIMEOUT_MS)];
  const body = createReviewBody({ schedule: '0 * * * *', suspend: true });
  let [result, retries] = ['', 0];
  try {
    for (; ; retries++) {
      const { code, headers } = await postReview({ port, path: PATH, body, signal, connection: { agent } });
      result = String(code);
      const retryAfter = headers['retry-after'];
      if (code === 200 || retryAfter === undefined || retries === 10) break;
      await sleep(Number(retryAfter) * 1_000, undefined, { signal });
    }
  } catch (error) {
    result = signal.aborted ? 'timed out' : ((error as NodeJS.ErrnoException).code ?? String(error));
  }
  reportOutcome({ result, connection, retries, tookMs: performance.now() - startedMs });
}

function open(server: ServerAddress): TLSSocket {
  return connectTls({ ...server, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => {});
}

function reportOutcome(outcome: Omit<RequestOutcome, 'atMs'>): void {
  outcomes.push({ ...outcome, atMs: performance.timeOrigin + performance.now() });
  busy.abort();
}

function parseStatusCode(response: Buffer): string {
  return String(response.subarray(9, 12));
}

function createHead(bytes: number): string {
  return `POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`;
}

function sendSlowly(socket: TLSSocket): void {
  socket.write(`${createHead(3 * MIB)}{"request":`);
}

/** 250 each of large reviews, deep reviews and reviews full of faults. */
function createHostileBodies(): readonly string[] {
  const podSpec = { containers: Array(99_000).fill(0) };
  const bodies = [
    JSON.stringify(admissionReview()).padEnd(3 * MIB),
    `{"request":${'[{"a":'.repeat(500_000)}`,
    createReviewBody({ schedule: '0 * * * *', jobTemplate: { spec: { template: { spec: podSpec } } } }),
  ];
  return bodies.flatMap((body) => Array<string>(250).fill(body));
}

function createRefusedCreates(): readonly string[] {
  const longName = (letter: string, index: number, length: number) => `${index}`.padEnd(length, letter);
  return Array.from({ length: 1_000 }, (_, index) => {
    const schedule = longName('x', index, MAX_SCHEDULE_LENGTH);
    return createReviewBody({ schedule, timeZone: longName('y', index, MAX_TIME_ZONE_LENGTH) });
  });
}

/** A review of a CronJob, as the API server would send it. */
function createReviewBody(spec: object): string {
  const kind = { group: API_VERSION.split('/')[0], version: 'v1', kind: KIND };
  const object = { apiVersion: API_VERSION, kind: KIND, metadata: { name: 'a', namespace: 'default' }, spec };
  return JSON.stringify(admissionReview({ object, request: { kind } }));
}

process.once('message', async (task: ClientTask) => {
  process.once('message', () => stop.abort());
  busy.signal.addEventListener('abort', () => process.send?.('under way'));
  const stopped = once(stop.signal, 'abort');
  await Promise.all([run(task), stopped]);
  process.send?.(outcomes, () => process.disconnect());
});
