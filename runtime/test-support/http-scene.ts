/** HTTP servers on a port of their own, which stop with the test. */
import { onTestFinished } from 'vitest';
import { HttpServer, type HttpServerOptions, sendText } from '../http/http-server.ts';
import { discardLogger } from '../log/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';

/** A server that says hello. */
export function httpServer(options: Partial<HttpServerOptions> = {}): HttpServer {
  return new HttpServer({
    name: 'test',
    address: { kind: 'listen', host: '127.0.0.1', port: 0 },
    handler: (_, response) => sendText(response, 200, 'hello'),
    clock: new FakeClock(),
    log: discardLogger,
    ...options,
  });
}

/** As {@link httpServer}, started; `stop` asks it to stop, and resolves when it has. */
export async function serve(options: Partial<HttpServerOptions> = {}) {
  const server = httpServer(options);
  const stopping = new AbortController();
  const stopped = server.start(stopping.signal);
  const stop = () => {
    stopping.abort();
    return stopped;
  };
  onTestFinished(stop);
  const { port } = await server.listening;
  return { server, port, url: `http://127.0.0.1:${port}/`, stop };
}
