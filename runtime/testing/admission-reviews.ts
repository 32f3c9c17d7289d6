/** Creates admission reviews for tests and sends the reviews to a webhook server. */
import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { pluralize } from '../kubernetes/resource.ts';

/** Options of an {@link admissionReview}. */
export interface ReviewOptions {
  /** Default `CREATE`. */
  readonly operation?: string;
  /** The new object, or `null` in the review of a delete. Default: the Widget `default/a` of `example.com/v1`. */
  readonly object?: unknown;
  /** The stored object. Default: no object. */
  readonly oldObject?: unknown;
  /**
   * Additional fields of `request`, which override the defaults: `{ dryRun: true }`, `{ userInfo: { username: 'jane' }
   * }`.
   */
  readonly request?: Readonly<Record<string, unknown>>;
}

const WIDGET = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { namespace: 'default', name: 'a' } };

/**
 * Creates the AdmissionReview of a request. The kind, the resource, the namespace and the name of the request come from
 * the object.
 */
export function admissionReview({
  operation = 'CREATE',
  object = WIDGET,
  oldObject = null,
  request,
}: ReviewOptions = {}) {
  const { apiVersion = '', kind = '', metadata } = (object ?? oldObject ?? WIDGET) as Partial<KubernetesObject>;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'review-1',
      kind: { group, version, kind },
      resource: { group, version, resource: pluralize(kind) },
      name: metadata?.name,
      namespace: metadata?.namespace,
      operation,
      userInfo: { username: 'tester' },
      object,
      oldObject,
      dryRun: false,
      ...request,
    },
  };
}

/** A request to a webhook server on 127.0.0.1. */
export interface ReviewPost {
  /** Port of the webhook server on 127.0.0.1. */
  readonly port: number;
  /** Path of the webhook, such as `/validate-example-com-v1-widget`. */
  readonly path: string;
  /** Body of the request: a string, which is sent unchanged, or a value, which is sent as JSON. */
  readonly body: unknown;
  /** HTTP method. Default `POST`. */
  readonly method?: string;
  /** Additional headers. */
  readonly headers?: OutgoingHttpHeaders;
  /** Aborts the connection. */
  readonly signal?: AbortSignal;
  /** Local address of the client, and the agent that reuses connections. Default: a new connection for each request. */
  readonly connection?: Pick<RequestOptions, 'localAddress' | 'agent'>;
}

/** The response of a webhook server. */
export interface ReviewAnswer {
  /** HTTP status. */
  readonly code: number;
  /** Headers of the response. */
  readonly headers: IncomingMessage['headers'];
  /** The parsed JSON of the response, or a string if the response is not JSON. */
  readonly body: unknown;
}

/** Sends a request to a webhook server. Accepts any certificate. */
export async function postReview({
  port,
  path,
  body,
  method = 'POST',
  headers,
  signal,
  connection,
}: ReviewPost): Promise<ReviewAnswer> {
  const request = httpsRequest({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent: false,
    rejectUnauthorized: false,
    headers: { 'content-type': 'application/json', ...headers },
    ...connection,
    ...(signal && { signal }),
  });
  request.on('error', () => {}); // the server may respond and close the connection before it has read the body
  request.end(typeof body === 'string' ? body : JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  const isJson = response.headers['content-type'] === 'application/json';
  return { code: response.statusCode ?? 0, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
