/** Outages of an API server, each with functions that begin and end it. */
import type { FakeApiServer, Fault } from 'controller-runtime/testing';

export interface Outage {
  readonly of: string;
  /** The plugin's term for it. */
  readonly said: RegExp;
  readonly begin: (server: FakeApiServer) => void | Promise<void>;
  readonly end: (server: FakeApiServer) => void | Promise<void>;
}

function failing(of: string, fault: Fault, said: RegExp): Outage {
  return {
    of,
    said,
    begin: (server) => server.fail({}, fault, Number.POSITIVE_INFINITY),
    end: (server) => server.clearFaults(),
  };
}

export const OUTAGES: readonly Outage[] = [
  {
    of: 'connections are refused',
    said: /^cannot reach the API server \((UND_ERR_SOCKET|ECONNREFUSED|ECONNRESET)\)$/,
    begin: (server) => server.goDown(),
    end: (server) => server.comeBack(),
  },
  failing('connections are silent', { kind: 'hang' }, /^cannot reach the API server \(ETIMEDOUT\)$/),
  failing('connections are reset', { kind: 'drop' }, /^cannot reach the API server \(\w+\)$/),
  failing('answers are cut', { kind: 'cutAnswer' }, /^cannot reach the API server \(\w+\)$/),
  failing('it is busy', { kind: 'error', code: 429, retryAfterSeconds: 1 }, /^the API server: a fault was asked for$/),
  failing('it fails', { kind: 'error', code: 500 }, /^the API server: a fault was asked for$/),
  failing('it is not ready', { kind: 'error', code: 503 }, /^the API server: a fault was asked for$/),
  failing(
    'a proxy answers',
    { kind: 'text', code: 502, text: '<html>Bad Gateway</html>' },
    /^the API server: GET http.* was answered 502 Bad Gateway with HTML/,
  ),
  failing(
    'a login page answers',
    { kind: 'text', code: 200, text: '<html>Sign in</html>' },
    /^GET http.* was answered 200 OK/,
  ),
];
