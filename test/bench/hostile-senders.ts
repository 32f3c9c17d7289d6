/**
 * A process that floods the webhooks, forked by hostile-webhooks.ts: what sending costs is not taken from whoever measures.
 *
 * Is told what to do by a {@link Flood}; says when it is under way, and answers with a {@link Flooded} when all is over; of those that
 * never end by themselves, when it is told to stop.
 */
import { once } from 'node:events';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { admissionReview } from 'controller-runtime/testing';
import { MAX_SCHEDULE_LENGTH, MAX_TIME_ZONE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import { cronJobReview, PATH } from './cronjob-review.ts';
import type { Flood, Flooded, Outcome } from './hostile-attacks.ts';

const MIB = 1024 * 1024;

/** So many handshakes at once: all at once would take longer than the server waits for one. */
const HANDSHAKES = 50;

const outcomes: Outcome[] = [];
const stop = new AbortController();
/** The first outcome, or the moment at which all are sent at once. */
const underWay = new AbortController();

type Server = Omit<Flood, 'attack'>;

/** Resolves when it is over; of those that do not end by themselves at once. */
async function run({ attack, ...server }: Flood): Promise<void> {
  switch (attack) {
    case 'bodies':
      keepOpening(server, 250, sendSlowly);
      return await sendAtOnce(server, hostileBodies());
    case 'creates':
      return await sendAtOnce(server, refusedCreates());
    case 'slow senders':
      return keepOpening(server, 1_000, sendSlowly);
    case 'connections':
      return keepOpening(server, 1_500, () => {});
  }
}

/** Each over a connection of its own, that is open before the first body is sent. */
async function sendAtOnce(server: Server, bodies: readonly string[]): Promise<void> {
  const sockets: TLSSocket[] = [];
  while (sockets.length < bodies.length) {
    const batch = Array.from({ length: Math.min(HANDSHAKES, bodies.length - sockets.length) }, () => open(server));
    await Promise.all(batch.map((socket) => once(socket, 'secureConnect').catch(() => {})));
    sockets.push(...batch);
  }
  underWay.abort();
  await Promise.all(sockets.map((socket, index) => answered(socket, bodies[index] ?? '')));
  stop.abort();
}

async function answered(socket: TLSSocket, body: string): Promise<void> {
  if (socket.destroyed) return note('closed');
  socket.write(`${headOf(Buffer.byteLength(body))}${body}`);
  const answer = await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => []);
  note(answer[0] instanceof Buffer ? codeOf(answer[0]) : 'closed');
  socket.destroy();
}

/** Opens another connection whenever one is closed, until all is over. */
function keepOpening(server: Server, count: number, use: (socket: TLSSocket) => void): void {
  if (stop.signal.aborted) return;
  for (let index = 0; index < count; index++) {
    const socket = open(server);
    let what = 'closed';
    const end = () => socket.destroy();
    stop.signal.addEventListener('abort', end);
    socket.on('data', (answer) => {
      what = codeOf(answer);
    });
    socket.on('close', () => {
      stop.signal.removeEventListener('abort', end);
      if (!stop.signal.aborted) note(what);
      keepOpening(server, 1, use);
    });
    use(socket);
  }
}

function open(server: Server): TLSSocket {
  return connectTls({ ...server, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => {});
}

function note(what: string): void {
  outcomes.push({ atMs: performance.timeOrigin + performance.now(), what });
  underWay.abort();
}

function codeOf(answer: Buffer): string {
  return String(answer.subarray(9, 12));
}

function headOf(bytes: number): string {
  return `POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`;
}

function sendSlowly(socket: TLSSocket): void {
  socket.write(`${headOf(3 * MIB)}{"request":`);
}

/** Large ones, deep ones and ones full of faults, of each 250. */
function hostileBodies(): readonly string[] {
  const podSpec = { containers: Array(99_000).fill(0) };
  const bodies = [
    JSON.stringify(admissionReview()).padEnd(3 * MIB),
    `{"request":${'[{"a":'.repeat(500_000)}`,
    cronJobReview({ schedule: '0 * * * *', jobTemplate: { spec: { template: { spec: podSpec } } } }),
  ];
  return bodies.flatMap((body) => Array<string>(250).fill(body));
}

function refusedCreates(): readonly string[] {
  const longest = (letter: string, index: number, length: number) => `${index}`.padEnd(length, letter);
  return Array.from({ length: 1_000 }, (_, index) => {
    const schedule = longest('x', index, MAX_SCHEDULE_LENGTH);
    return cronJobReview({ schedule, timeZone: longest('y', index, MAX_TIME_ZONE_LENGTH) });
  });
}

process.once('message', async (flood: Flood) => {
  process.once('message', () => stop.abort());
  underWay.signal.addEventListener('abort', () => process.send?.('under way'));
  const stopped = once(stop.signal, 'abort');
  await Promise.all([run(flood), stopped]);
  process.send?.({ outcomes } satisfies Flooded, () => process.disconnect());
});
