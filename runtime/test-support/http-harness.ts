/** HTTP servers on free ports, which stop when the test ends. */
import { onTestFinished } from 'vitest';
import { HttpServer, type HttpServerOptions, sendText } from '../http/http-server.ts';
import { discardLogger } from '../log/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';

/** Returns a server that responds with `hello`. */
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

/** Like {@link httpServer}, but also starts the server. `stop` resolves when the server has stopped. */
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
