/** Admission reviews as the API server sends them, and a client that sends them to a webhook server. */
import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { KubernetesObject } from 'controller-runtime';
import { widget } from './objects.ts';

export interface ReviewOptions {
  readonly operation?: string;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  /** What else the request has, or has otherwise. */
  readonly request?: Readonly<Record<string, unknown>>;
}

/** The creation of a widget unless said otherwise. */
export function admissionReview({
  operation = 'CREATE',
  object = widget(),
  oldObject = null,
  request,
}: ReviewOptions = {}) {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'review-1',
      kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
      resource: { group: 'example.com', version: 'v1', resource: 'widgets' },
      name: 'a',
      namespace: 'default',
      operation,
      userInfo: { username: 'tester' },
      object,
      oldObject,
      dryRun: false,
      ...request,
    },
  };
}

/** `object` while it is being deleted. */
export function beingDeleted<T extends KubernetesObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
}

export interface ReviewPost {
  readonly port: number;
  readonly path: string;
  /** Sent as it is when it is a text, else as JSON. */
  readonly body: unknown;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Cuts the connection. */
  readonly signal?: AbortSignal;
  /** The address it comes from, and the agent that keeps connections. Default: a connection of its own. */
  readonly connection?: Pick<RequestOptions, 'localAddress' | 'agent'>;
}

export interface ReviewAnswer {
  readonly code: number;
  readonly headers: IncomingMessage['headers'];
  /** Text that is not JSON comes as it is. */
  readonly body: unknown;
}

/** Sends a request, with any certificate trusted. */
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
  request.end(typeof body === 'string' ? body : JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  const isJson = response.headers['content-type'] === 'application/json';
  return { code: response.statusCode ?? 0, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
