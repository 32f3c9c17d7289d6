/** Health checks, and the endpoints /healthz and /readyz that report them in the API server's text format. */
import { type HttpHandler, parseRequestUrl, sendText } from './http-server.ts';

/** Returns why it is not healthy, or `undefined` when it is healthy. May also throw. */
export type HealthCheck = () => string | undefined | Promise<string | undefined>;

export interface HealthCheckResult {
  readonly name: string;
  /** Absent when healthy. */
  readonly reason?: string;
}

/** Named checks behind one endpoint. Starts with `ping`, which fails only with the process. */
export class HealthChecks {
  readonly #checks = new Map<string, HealthCheck>([['ping', () => undefined]]);

  /** @param name Last segment of the check's own URL, without a slash. Throws when the name is taken. */
  add(name: string, check: HealthCheck): void {
    if (name === '' || name.includes('/')) throw new Error(`health check "${name}": the name must be one path segment`);
    if (this.#checks.has(name)) throw new Error(`health check "${name}" already exists`);
    this.#checks.set(name, check);
  }

  has(name: string): boolean {
    return this.#checks.has(name);
  }

  /** Runs one check. Never rejects; an unknown name is not healthy. */
  async run(name: string): Promise<HealthCheckResult> {
    try {
      const check = this.#checks.get(name);
      const reason = check ? await check() : 'no such check';
      return reason === undefined ? { name } : { name, reason };
    } catch (error) {
      return { name, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /**
   * Runs all checks concurrently, except for those in `excluded`. Never rejects. Returns results in the order of `add`.
   */
  runAll(excluded: ReadonlySet<string>): Promise<HealthCheckResult[]> {
    const names = [...this.#checks.keys()].filter((name) => !excluded.has(name));
    return Promise.all(names.map((name) => this.run(name)));
  }
}

export interface HealthEndpoints {
  /** Fails when the process should be restarted. */
  readonly healthz: HealthChecks;
  /** Fails while the process cannot do its work. */
  readonly readyz: HealthChecks;
}

/**
 * Answers `/healthz` and `/readyz` with 200 or 500, and `/healthz/<check>` for a single check. `?verbose` lists the
 * checks, `?exclude=<check>` leaves one out. Unlike the API server, it reports the reason of a failure: the port is for
 * the operators of the process.
 */
export function healthHandler(endpoints: HealthEndpoints): HttpHandler {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return sendText(response, 405, 'method not allowed\n');
    }
    sendText(response, ...(await respond(endpoints, parseRequestUrl(request))));
  };
}

type HealthResponse = [status: number, body: string];

async function respond(endpoints: HealthEndpoints, { pathname, searchParams }: URL): Promise<HealthResponse> {
  const [, endpoint, name = '', ...rest] = pathname.split('/');
  if ((endpoint !== 'healthz' && endpoint !== 'readyz') || rest.length > 0) return [404, 'not found\n'];
  const checks = endpoints[endpoint];
  if (name === '') {
    const results = await checks.runAll(new Set(searchParams.getAll('exclude')));
    return formatSummary(endpoint, results, searchParams.has('verbose'));
  }
  if (!checks.has(name)) return [404, 'no such check\n'];
  const { reason } = await checks.run(name);
  return reason === undefined ? [200, 'ok'] : [500, `${name} failed: ${reason}\n`];
}

function formatSummary(endpoint: string, results: readonly HealthCheckResult[], isVerbose: boolean): HealthResponse {
  const hasFailed = results.some(({ reason }) => reason !== undefined);
  if (!hasFailed && !isVerbose) return [200, 'ok'];
  const lines = results.map(({ name, reason }) =>
    reason === undefined ? `[+]${name} ok\n` : `[-]${name} failed: ${reason}\n`,
  );
  return [hasFailed ? 500 : 200, `${lines.join('')}${endpoint} check ${hasFailed ? 'failed' : 'passed'}\n`];
}
