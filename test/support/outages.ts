/** Outages of an API server, each with functions that begin and end it. */
import type { FakeApiServer, Fault } from 'controller-runtime/testing';

export interface Outage {
  readonly title: string;
  /** The plugin's term for it. */
  readonly error: RegExp;
  readonly begin: (server: FakeApiServer) => void | Promise<void>;
  readonly end: (server: FakeApiServer) => void | Promise<void>;
}

function createOutage(title: string, fault: Fault, error: RegExp): Outage {
  return {
    title,
    error,
    begin: (server) => server.fail({}, fault, Number.POSITIVE_INFINITY),
    end: (server) => server.clearFaults(),
  };
}

export const OUTAGES: readonly Outage[] = [
  {
    title: 'connections are refused',
    error: /^cannot reach the API server \((UND_ERR_SOCKET|ECONNREFUSED|ECONNRESET)\)$/,
    begin: (server) => server.goDown(),
    end: (server) => server.comeBack(),
  },
  createOutage('connections are silent', { kind: 'hang' }, /^cannot reach the API server \(ETIMEDOUT\)$/),
  createOutage('connections are reset', { kind: 'drop' }, /^cannot reach the API server \(\w+\)$/),
  createOutage('responses are cut', { kind: 'cutAnswer' }, /^cannot reach the API server \(\w+\)$/),
  createOutage(
    'the server is busy',
    { kind: 'error', code: 429, retryAfterSeconds: 1 },
    /^the API server: injected fault$/,
  ),
  createOutage('the server fails', { kind: 'error', code: 500 }, /^the API server: injected fault$/),
  createOutage('the server is not ready', { kind: 'error', code: 503 }, /^the API server: injected fault$/),
  createOutage(
    'a proxy answers',
    { kind: 'text', code: 502, text: '<html>Bad Gateway</html>' },
    /^the API server: GET http.* returned 502 Bad Gateway with HTML/,
  ),
  createOutage(
    'a login page answers',
    { kind: 'text', code: 200, text: '<html>Sign in</html>' },
    /^GET http.* returned 200 OK/,
  ),
  createOutage(
    'a login page redirects',
    { kind: 'text', code: 302, text: '', headers: { location: 'https://login.example.com/?id=1' } },
    /^GET http.* returned 302 Found and redirected to https:\/\/login\.example\.com;/,
  ),
  createOutage(
    'a firewall answers',
    { kind: 'text', code: 403, text: '<html>Blocked</html>' },
    /^GET http.* returned 403 Forbidden with HTML;/,
  ),
  createOutage(
    'a default backend answers',
    { kind: 'text', code: 404, text: 'default backend - 404' },
    /^GET http.* returned 404 Not Found: default backend - 404;/,
  ),
  createOutage('the server gives up a request', { kind: 'error', code: 408 }, /^the API server: injected fault$/),
];
