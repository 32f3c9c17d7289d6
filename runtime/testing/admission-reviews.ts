/** Admission reviews as the API server sends them, and a client that sends them to a webhook server. */
import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { pluralize } from '../kubernetes/resource.ts';

/** Options of an {@link admissionReview}. */
export interface ReviewOptions {
  /** Default `CREATE`. */
  readonly operation?: string;
  /**
   * The object to store. Default: the Widget `default/a` of `example.com/v1`; `null` for a review without one, such as
   * a delete.
   */
  readonly object?: unknown;
  /** The stored object. Default: no object. */
  readonly oldObject?: unknown;
  /**
   * Fields to add to or replace in `request`: `{ dryRun: true }`, `{ userInfo: { username: 'jane' } }`, `{ kind: … }`.
   */
  readonly request?: Readonly<Record<string, unknown>>;
}

const WIDGET = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { namespace: 'default', name: 'a' } };

/** Creates the review of one write. Its kind, resource, namespace and name come from the object. */
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
  readonly port: number;
  /** Such as `/validate-example-com-v1-widget`. */
  readonly path: string;
  /** Sent unchanged if it is a text, else as JSON. */
  readonly body: unknown;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Aborts the connection. */
  readonly signal?: AbortSignal;
  /** The client's address, and the agent that keeps connections. Default: a separate connection. */
  readonly connection?: Pick<RequestOptions, 'localAddress' | 'agent'>;
}

/** The answer of a webhook server. */
export interface ReviewAnswer {
  /** HTTP status. */
  readonly code: number;
  readonly headers: IncomingMessage['headers'];
  /** JSON value, or the text if it is not JSON. */
  readonly body: unknown;
}

/** Sends a request; trusts any certificate. */
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
  request.on('error', () => {}); // after the answer, which may arrive before the server has read the body
  request.end(typeof body === 'string' ? body : JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  const isJson = response.headers['content-type'] === 'application/json';
  return { code: response.statusCode ?? 0, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
