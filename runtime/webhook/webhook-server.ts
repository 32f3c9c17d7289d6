/**
 * Serves admission webhooks and conversions over HTTPS. Each webhook has its own path.
 *
 * The response has HTTP status 200 if the webhook allows or rejects the object. After a failed review, the response has
 * an error status, and the API server applies the `failurePolicy`.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../clock/clock.ts';
import { withTimeout } from '../clock/timeout.ts';
import type { BindAddress } from '../http/bind-address.ts';
import { HttpServer, parseRequestUrl, sendText } from '../http/http-server.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatApiVersion, type Resource } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import { runWithRejectionHandler } from '../process/unhandled-rejections.ts';
import type { Kind } from '../schema/kind.ts';
import type { ClientCaSource, KeyPairSource } from '../tls/key-pair.ts';
import type { AdmissionContext, AdmissionWebhooks, AdmittedResource, WebhookRegistrar } from './admission.ts';
import { type AdmissionRequest, decodeReview, describeKind, encodeReview } from './admission-review.ts';
import { convertAll, decodeConversion, encodeConversion, encodeConversionFailure } from './conversion-review.ts';
import { createFailureStatus } from './failure-status.ts';
import { receiveBody } from './review-body.ts';
import { CONVERSION_PATH, getWebhookPath, type WebhookDeclaration } from './webhook-declaration.ts';
import { noWebhookMetrics, type WebhookMetrics } from './webhook-metrics.ts';
import { type RegisteredWebhook, WebhookRegistry } from './webhook-registry.ts';

/** Timeout of a request without the query parameter `timeout`: the API server's default. */
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 30_000;
/** Fraction of the API server's timeout that a review may use; the network needs the remaining time. */
const REVIEW_TIMEOUT_FRACTION = 0.8;
/**
 * The keep-alive timeout must be longer than the 90 s after which the API server closes an idle connection. If the
 * webhook server closed the connection first, the API server could send a review on the closing connection, and the
 * review would fail.
 */
const KEEP_ALIVE_TIMEOUT_MS = 120_000;
/** The API server's default timeout of a review. Under high load, a TLS handshake takes several seconds. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** Seats limit the memory for concurrent reviews to 64 MiB. After parsing, the largest review needs 45 MiB. */
const MAX_SEATS = 1_024;

export interface WebhookServerOptions {
  readonly address: BindAddress & { readonly kind: 'listen' };
  readonly keyPair: KeyPairSource;
  /** CA of the API server's client certificate. Default: every client can send reviews. */
  readonly clientCa?: ClientCaSource | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Creates the metrics of the webhook with the URL path `path`. Default: no metrics. */
  readonly metrics?: { webhook(path: string): WebhookMetrics };
  /** How long the server still responds after the shutdown begins, until other replicas get the reviews. Default 0. */
  readonly shutdownDelayMs?: number;
}

/** Deadline of a review, after which the API server no longer waits for the response. */
interface ReviewDeadline {
  readonly deadlineMs: number;
  /** Time from the arrival of the request to the deadline, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts if the client closes the connection. */
  readonly signal: AbortSignal;
}

/** Handles the body of a request, and returns the response. */
type ReviewHandler = (body: string, deadline: ReviewDeadline) => Promise<WebhookResponse> | WebhookResponse;

interface WebhookResponse {
  /** HTTP status. */
  readonly code: number;
  readonly body: object;
}

export class WebhookServer implements WebhookRegistrar {
  readonly #isCallerVerified: boolean;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: WebhookServerOptions['metrics'];
  readonly #http: HttpServer;
  readonly #webhooks = new WebhookRegistry();
  readonly #metricsByPath = new Map<string, WebhookMetrics | undefined>();
  #isServing = false;

  constructor({ address, keyPair, clientCa, clock, log, metrics, shutdownDelayMs = 0 }: WebhookServerOptions) {
    this.#isCallerVerified = clientCa !== undefined;
    this.#clock = clock;
    this.#log = log;
    this.#metrics = metrics;
    this.#http = new HttpServer({
      name: 'webhooks',
      address,
      keyPair,
      clientCa,
      keepAliveTimeoutMs: KEEP_ALIVE_TIMEOUT_MS,
      headersTimeoutMs: HEADERS_TIMEOUT_MS,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      maxSeats: MAX_SEATS,
      shutdownDelayMs,
      handler: (request, response) => this.#serve(request, response),
      clock,
      log,
    });
  }

  for<T extends KubernetesObject, SpecInput = unknown>(
    resource: AdmittedResource<T, SpecInput>,
    webhooks: AdmissionWebhooks<NoInfer<T>, NoInfer<SpecInput>>,
  ): readonly WebhookDeclaration[] {
    const declarations = this.#webhooks.for(resource, webhooks);
    for (const path of declarations.map(getWebhookPath)) this.#metricsByPath.set(path, this.#metrics?.webhook(path));
    return declarations;
  }

  convert(kind: Kind): void {
    this.#webhooks.convert(kind);
    this.#metricsByPath.set(CONVERSION_PATH, this.#metrics?.webhook(CONVERSION_PATH));
  }

  /** The kinds whose objects the server converts. */
  get convertedKinds(): readonly Kind[] {
    return this.#webhooks.convertedKinds;
  }

  /** Resolves to the port when the server listens. Rejects if the server cannot listen. */
  get port(): Promise<number> {
    return this.#http.listening.then(({ port }) => port);
  }

  /** Number of seats in use, at most 1024. */
  get seats(): number {
    return this.#http.seats;
  }

  /** Serves webhooks until `signal` aborts. Rejects if the server cannot listen or cannot load its certificate. */
  async start(signal: AbortSignal): Promise<void> {
    const serve = async () => {
      await this.#http.listening;
      this.#isServing = true;
    };
    try {
      await Promise.all([this.#http.start(signal), serve()]);
    } finally {
      this.#isServing = false;
    }
  }

  /** Health check for the manager. Returns an error message while the server does not serve webhooks. */
  readonly check = (): string | undefined => (this.#isServing ? undefined : 'the webhook server is not serving');

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = parseRequestUrl(request).pathname;
    const handler = this.#findHandler(path);
    if (handler === undefined) return sendText(response, 404, 'there is no webhook at this path\n');
    const startedMs = this.#clock.monotonicMs();
    const metrics = this.#metricsByPath.get(path) ?? noWebhookMetrics;
    metrics.started();
    const { code, body } = await this.#respond(handler, request, response);
    metrics.responded(code, this.#clock.monotonicMs() - startedMs);
    response.writeHead(code, { 'content-type': 'application/json', ...ERROR_HEADERS[code] });
    response.end(JSON.stringify(body));
  }

  #findHandler(path: string): ReviewHandler | undefined {
    if (path === CONVERSION_PATH && this.convertedKinds.length > 0) return (body) => this.#convert(body);
    const webhook = this.#webhooks.get(path);
    return webhook && ((body, deadline) => this.#decodeAndReview(webhook, body, deadline));
  }

  async #respond(handler: ReviewHandler, request: IncomingMessage, response: ServerResponse): Promise<WebhookResponse> {
    if (request.method !== 'POST') return createFailureResponse(405, 'MethodNotAllowed', 'send reviews with POST');
    if (!isJsonContentType(request.headers['content-type'])) {
      return createFailureResponse(415, 'UnsupportedMediaType', 'send the review as application/json');
    }
    const deadline = this.#getDeadline(request, response);
    const body = await receiveBody(request, (byteCount) => this.#http.reserve(request, byteCount));
    if (body.kind === 'rejected') return createFailureResponse(body.code, body.reason, body.message);
    return await handler(body.text, deadline);
  }

  #getDeadline(request: IncomingMessage, response: ServerResponse): ReviewDeadline {
    const timeoutMs = computeReviewTimeoutMs(request);
    return { deadlineMs: this.#clock.monotonicMs() + timeoutMs, timeoutMs, signal: createCloseSignal(response) };
  }

  async #decodeAndReview(webhook: RegisteredWebhook, body: string, deadline: ReviewDeadline): Promise<WebhookResponse> {
    const decoded = decodeReview(body);
    if (decoded.kind === 'malformed') return createFailureResponse(400, 'BadRequest', decoded.message);
    const problem = validateKind(webhook.declaration.resource, decoded.request);
    if (problem !== undefined) return createFailureResponse(400, 'BadRequest', problem);
    return await this.#review(webhook, decoded.request, deadline);
  }

  /** Never rejects. */
  async #review(
    webhook: RegisteredWebhook,
    request: AdmissionRequest,
    deadline: ReviewDeadline,
  ): Promise<WebhookResponse> {
    const { uid, operation, namespace, name } = request;
    if (operation.kind === 'OTHER') return { code: 200, body: encodeReview(uid, { allowed: true }) };
    const log = this.#log.with({ webhook: webhook.path, operation: operation.kind, namespace, name, requestID: uid });
    const { deadlineMs, timeoutMs, signal } = deadline;
    const message = `timed out after ${timeoutMs} ms`;
    const timeoutOptions = { clock: this.#clock, timeoutMs: deadlineMs - this.#clock.monotonicMs(), message, signal };
    try {
      const response = await withTimeout(timeoutOptions, (timeoutSignal) =>
        runWithRejectionHandler(
          (error) => log.error('the review did not await a rejected promise', error),
          () =>
            webhook.review(
              { operation, name },
              this.#createContext(request, operation.kind, { signal: timeoutSignal, log }),
            ),
        ),
      );
      log.debug('answered admission review', { allowed: response.allowed, reason: response.status?.message });
      return { code: 200, body: encodeReview(uid, response) };
    } catch (error) {
      if (signal.aborted) log.debug('review aborted: the client closed the connection');
      else log.error('admission review failed', error);
      const { name: webhookName, resource } = webhook.declaration;
      const reason = error instanceof Error ? error.message : String(error);
      return createFailureResponse(
        500,
        'InternalError',
        `${webhookName}: review of ${describeKind(resource)} failed: ${reason}`,
      );
    }
  }

  /**
   * Responds with HTTP status 200 even if a conversion fails, because the API server otherwise does not show the error
   * message.
   */
  #convert(body: string): WebhookResponse {
    const decoded = decodeConversion(body);
    if (decoded.kind === 'malformed') return createFailureResponse(400, 'BadRequest', decoded.message);
    const { uid, desiredAPIVersion, objects } = decoded.request;
    const log = this.#log.with({ webhook: CONVERSION_PATH, version: desiredAPIVersion, requestID: uid });
    try {
      const convertedObjects = convertAll(this.convertedKinds, decoded.request);
      log.debug('converted objects', { count: objects.length });
      return { code: 200, body: encodeConversion(uid, convertedObjects) };
    } catch (error) {
      log.error('conversion failed', error);
      return { code: 200, body: encodeConversionFailure(uid, error instanceof Error ? error.message : String(error)) };
    }
  }

  #createContext(
    { subResource, namespace, user, fieldManager, isDryRun }: AdmissionRequest,
    operation: AdmissionContext['operation'],
    { signal, log }: Pick<AdmissionContext, 'signal' | 'log'>,
  ): AdmissionContext {
    const [isCallerVerified, now] = [this.#isCallerVerified, this.#clock.now()];
    return {
      ...{ operation, subResource, namespace, user, isCallerVerified },
      ...{ fieldManager, isDryRun, now, signal, log },
    };
  }
}

/** With `retry-after`, the API server retries a review up to ten times within the timeout. */
const ERROR_HEADERS: Readonly<Record<number, OutgoingHttpHeaders>> = {
  405: { allow: 'POST' },
  429: { 'retry-after': '1' },
};

function createFailureResponse(code: number, reason: string, message: string): WebhookResponse {
  return { code, body: createFailureStatus(code, reason, message) };
}

function isJsonContentType(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

function validateKind(resource: Resource, { resource: requested, operation }: AdmissionRequest): string | undefined {
  if (operation.kind === 'OTHER') return undefined;
  if (requested.kind === resource.kind && formatApiVersion(requested) === formatApiVersion(resource)) return undefined;
  return `this webhook is for ${describeKind(resource)}, not ${describeKind(requested)}: fix the rules in its configuration`;
}

/** The API server sends its timeout as a query parameter in whole seconds, such as `?timeout=10s`. */
function computeReviewTimeoutMs(request: IncomingMessage): number {
  const [, seconds] = /^(\d+)s$/.exec(parseRequestUrl(request).searchParams.get('timeout') ?? '') ?? [];
  const apiServerTimeoutMs =
    seconds === undefined || Number(seconds) === 0 ? DEFAULT_TIMEOUT_MS : Number(seconds) * 1000;
  return Math.min(apiServerTimeoutMs, MAX_TIMEOUT_MS) * REVIEW_TIMEOUT_FRACTION;
}

function createCloseSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the API server closed the connection'));
  });
  return controller.signal;
}
