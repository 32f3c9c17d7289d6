/** Serves /metrics over HTTP without access control, or over HTTPS to clients that the API server authorizes. */

import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import type { BindAddress } from '../http/bind-address.ts';
import { type HttpHandler, HttpServer, parseRequestUrl, sendText } from '../http/http-server.ts';
import type { Logger } from '../log/logger.ts';
import type { KeyPairSource } from '../tls/key-pair.ts';
import { KeyPairFiles } from '../tls/key-pair-files.ts';
import { createSelfSignedKeyPair } from '../tls/self-signed-key-pair.ts';
import type { RenderedMetrics } from './metrics-registry.ts';
import { ScrapeAccess } from './scrape-access.ts';

const METRICS_PATH = '/metrics';

export type MetricsSecurity =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'tls';
      /** Folder with tls.crt and tls.key. Default: the server generates a self-signed certificate at each start. */
      readonly certFolder?: string | undefined;
      /** Client that creates the TokenReviews and SubjectAccessReviews. */
      readonly client: Pick<Client, 'create'>;
      /** Accepted audiences of a token. Default: the API server's audiences. */
      readonly audiences?: readonly string[];
    };

export interface MetricsServerOptions {
  readonly address: BindAddress & { readonly kind: 'listen' };
  readonly security: MetricsSecurity;
  readonly metrics: { render(): Promise<RenderedMetrics> };
  readonly clock: Clock;
  readonly log: Logger;
}

export function createMetricsServer({ address, security, metrics, clock, log }: MetricsServerOptions): HttpServer {
  const serverOptions = { name: 'metrics', address, clock, log };
  if (security.kind === 'none')
    return new HttpServer({ ...serverOptions, handler: serveOnlyMetrics(createMetricsHandler(metrics)) });
  const { certFolder: folder, client, audiences = [] } = security;
  const keyPair: KeyPairSource =
    folder === undefined
      ? { load: () => createSelfSignedKeyPair(['localhost', '127.0.0.1'], clock.now()) }
      : new KeyPairFiles({ folder, clock, log });
  const access = new ScrapeAccess({ client, clock, audiences });
  return new HttpServer({
    ...serverOptions,
    keyPair,
    handler: serveOnlyMetrics(requireAccess(access, createMetricsHandler(metrics), log)),
  });
}

/** Before the access review, rejects all requests except GET and HEAD requests for /metrics. */
function serveOnlyMetrics(handler: HttpHandler): HttpHandler {
  return (request, response) => {
    if (parseRequestUrl(request).pathname !== METRICS_PATH) return sendText(response, 404, 'not found\n');
    if (request.method === 'GET' || request.method === 'HEAD') return handler(request, response);
    response.setHeader('allow', 'GET, HEAD');
    return sendText(response, 405, 'method not allowed\n');
  };
}

function requireAccess(scrapeAccess: ScrapeAccess, handler: HttpHandler, log: Logger): HttpHandler {
  return async (request, response) => {
    // A HEAD request needs the same permission as a GET request.
    const accessResult = await scrapeAccess.check(request.headers.authorization, { verb: 'get', path: METRICS_PATH });
    switch (accessResult.kind) {
      case 'allowed':
        return handler(request, response);
      case 'unauthenticated':
        response.setHeader('www-authenticate', 'Bearer');
        return sendText(response, 401, 'unauthorized: send a bearer token that the API server accepts\n');
      case 'busy':
        response.setHeader('retry-after', '1');
        return sendText(response, 429, 'too many requests with unknown tokens: try again in a second\n');
      case 'forbidden':
        log.debug('refused scrape', { user: accessResult.user });
        return sendText(response, 403, `forbidden: ${accessResult.user} may not get ${METRICS_PATH}\n`);
    }
  };
}

function createMetricsHandler(metrics: MetricsServerOptions['metrics']): HttpHandler {
  return async (_, response) => {
    const { contentType, body } = await metrics.render();
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
  };
}
