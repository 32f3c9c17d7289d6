/** Connections to a webhook server that send too little, too much, or an invalid request. */
import { connect, type TLSSocket } from 'node:tls';

interface SlowSenderOptions {
  readonly port: number;
  /** PEM. */
  readonly ca: string;
  /** Number of open connections; a closed one is replaced, up to ten times this number. */
  readonly count: number;
}

const PATH = '/validate-batch-tutorial-kubebuilder-io-v1-cronjob';
const createHead = (more: string) =>
  `POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${more}\r\n`;
const MIB = 1024 * 1024;

const PARTIAL_REQUESTS: readonly (string | Buffer)[] = [
  '',
  'P',
  'GET / HTTP/1.1\r\n',
  createHead('content-length: 100\r\n'),
  `${createHead(`content-length: ${3 * MIB}\r\n`)}{"request":`,
  createHead(`content-length: ${2 ** 40}\r\n`),
  createHead('content-length: -1\r\n'),
  `${createHead('transfer-encoding: chunked\r\n')}ffffffff\r\n`,
  `${createHead('transfer-encoding: chunked\r\ncontent-length: 5\r\n')}0\r\n\r\n`,
  `${createHead(`x: ${'y'.repeat(100_000)}\r\n`)}`,
  `${createHead(`content-length: ${8 * MIB}\r\n`)}${'['.repeat(100_000)}`,
  Buffer.alloc(1000, 0xff),
  'GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(100),
];

export interface SlowSenders {
  readonly opened: number;
  stop(): void;
}

export function startSlowSenders({ port, ca, count }: SlowSenderOptions): SlowSenders {
  const sockets = new Set<TLSSocket>();
  const state = { opened: 0, isOver: false };
  const open = () => {
    const socket = connect({ port, host: '127.0.0.1', ca });
    sockets.add(socket);
    const beginning = PARTIAL_REQUESTS[state.opened++ % PARTIAL_REQUESTS.length] ?? '';
    // The server closes it sooner or later, with or without an error.
    socket.on('error', () => {}).resume();
    socket.once('secureConnect', () => socket.write(beginning));
    socket.once('close', () => {
      sockets.delete(socket);
      if (!state.isOver && state.opened < count * 10) open();
    });
  };
  for (let index = 0; index < count; index++) open();
  return {
    get opened() {
      return state.opened;
    },
    stop() {
      state.isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
