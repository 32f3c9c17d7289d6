/** Health checks, and the endpoints /healthz and /readyz that report them in the text format of the API server. */
import { type HttpHandler, parseRequestUrl, sendText } from './http-server.ts';

/**
 * A function that returns the reason for a failure, or `undefined` on success. If the function throws, the check fails.
 */
export type HealthCheck = () => string | undefined | Promise<string | undefined>;

/** Result of a health check. */
export interface HealthCheckResult {
  /** Name of the check. */
  readonly name: string;
  /** The reason for a failure. Absent after a success. */
  readonly reason?: string;
}

/** The checks of one endpoint. The check `ping` always succeeds. */
export class HealthChecks {
  readonly #checks = new Map<string, HealthCheck>([['ping', () => undefined]]);

  /**
   * Throws if a check of this name already exists.
   * @param name Name of the check, and the last segment of its URL. Must not contain a slash.
   */
  add(name: string, check: HealthCheck): void {
    if (name === '' || name.includes('/')) throw new Error(`health check "${name}": the name must be one path segment`);
    if (this.#checks.has(name)) throw new Error(`health check "${name}" already exists`);
    this.#checks.set(name, check);
  }

  /** Returns whether a check of this name exists. */
  has(name: string): boolean {
    return this.#checks.has(name);
  }

  /** Runs one check. Never rejects. Returns a failure if there is no check of this name. */
  async run(name: string): Promise<HealthCheckResult> {
    try {
      const check = this.#checks.get(name);
      const reason = check ? await check() : 'no such check';
      return reason === undefined ? { name } : { name, reason };
    } catch (error) {
      return { name, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Runs all checks except `excludedNames` concurrently. Never rejects. */
  runAll(excludedNames: ReadonlySet<string>): Promise<HealthCheckResult[]> {
    const names = [...this.#checks.keys()].filter((name) => !excludedNames.has(name));
    return Promise.all(names.map((name) => this.run(name)));
  }
}

export interface HealthEndpoints {
  /** Checks that fail when the kubelet should restart the process. */
  readonly healthz: HealthChecks;
  /** Checks that fail while the process is not ready for its work. */
  readonly readyz: HealthChecks;
}

/**
 * Responds to `/healthz` and `/readyz` with 200 or 500, and to `/healthz/<check>` with the result of a single check.
 * `?verbose` lists all checks, `?exclude=<check>` skips a check. Unlike the response of an API server, the response
 * contains the reason for a failure.
 */
export function createHealthHandler(endpoints: HealthEndpoints): HttpHandler {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return sendText(response, 405, 'method not allowed\n');
    }
    sendText(response, ...(await createResponse(endpoints, parseRequestUrl(request))));
  };
}

type HealthResponse = [status: number, body: string];

async function createResponse(endpoints: HealthEndpoints, { pathname, searchParams }: URL): Promise<HealthResponse> {
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
