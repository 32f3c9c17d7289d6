import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { job } from '../test-support/objects.ts';
import { catchRejection, createGetRequest, LIST_REQUEST, TransportHarness } from '../test-support/transport-harness.ts';
import type { ResponseFault } from '../testing/fake-api/faults.ts';
import { ApiError, InvalidResponseError, isNotFound } from './errors.ts';
import { checkResponse, parseResponseObject } from './parse-response.ts';
import { streamPodLogs } from './pod-logs.ts';
import type { ApiRequest } from './transport.ts';

const PAGE = '<!DOCTYPE html>\n<html><body>Please log in</body></html>';
const text = (body: string, type: string, code = 200, headers = {}): ResponseFault => ({
  kind: 'text',
  code,
  text: body,
  headers: { 'content-type': type, ...headers },
});
const JSON_TYPE = 'application/json';

const NOT_KUBERNETES: Readonly<Record<string, ResponseFault>> = {
  'a login page': text(PAGE, 'text/html; charset=utf-8'),
  'a login page that calls itself JSON': text(PAGE, JSON_TYPE),
  nothing: text('', JSON_TYPE),
  'a line break': text('\n', JSON_TYPE),
  'half an object': text('{"kind":"Job","metadata":{"na', JSON_TYPE),
  'an object of another type': text('{"kind":"Job","metadata":{}}', 'text/plain'),
  'bytes of another type': text('k8s\u0000', 'application/vnd.kubernetes.protobuf'),
  'JSON of others': text('{"error":"login"}', JSON_TYPE),
  'JSON with a kind that is a number': text('{"kind":5,"metadata":{}}', JSON_TYPE),
  'JSON with metadata that are text': text('{"kind":"Job","metadata":"a"}', JSON_TYPE),
  'a list without metadata': text('{"kind":"JobList","items":[]}', JSON_TYPE),
  'a list without metadata and items': text('{"kind":"JobList"}', JSON_TYPE),
  'a list of texts': text('{"kind":"JobList","metadata":{},"items":["a"]}', JSON_TYPE),
  'items that are no list': text('{"kind":"JobList","metadata":{},"items":{"a":1}}', JSON_TYPE),
  null: text('null', JSON_TYPE),
  'a number': text('5', JSON_TYPE),
  'a list': text('[]', JSON_TYPE),
};

/** Returns the error of the client for a response. */
async function getClientError(
  method: ApiRequest['method'],
  fault: ResponseFault,
  path = createGetRequest('a').path,
): Promise<unknown> {
  await using scene = await TransportHarness.start();
  scene.server.fail({}, fault);
  return await catchRejection(scene.transport.request({ method, path }));
}

test.each(Object.entries(NOT_KUBERNETES))(
  'a 2xx response that is %s throws an error with the URL',
  async (_, fault) => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const error = await getClientError(method, fault);
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(String(error)).toMatch(
        /^InvalidResponseError: [A-Z]+ http:\/\/127.*\/apis\/batch\/v1\/.* returned 200 OK with /,
      );
      expect(String(error)).not.toMatch(/\n|</);
    }
  },
);

test.each([
  ['no metadata', {}, 'metadata is missing'],
  ['metadata that are a list', { metadata: [] }, 'metadata must be an object'],
  ['no name', { metadata: { uid: '1' } }, 'metadata.name is missing'],
  ['a name that is a number', { metadata: { name: 1 } }, 'metadata.name must be a valid name'],
  ['a name that is half a character', { metadata: { name: '\ud800' } }, 'metadata.name must be a valid name'],
  ['a namespace that leads elsewhere', { metadata: { namespace: '..' } }, 'metadata.namespace must be a valid name'],
  ['labels that are numbers', { metadata: { labels: { a: 1 } } }, 'metadata.labels must be a map of strings'],
  ['owners of text', { metadata: { ownerReferences: ['x'] } }, 'metadata.ownerReferences must be a list of objects'],
  ['lists of finalizers', { metadata: { finalizers: [[]] } }, 'metadata.finalizers must be a list of strings'],
] as const)('the error names an object with %s, alone and in a list', async (_, object, fault) => {
  const alone = await getClientError('GET', text(JSON.stringify({ kind: 'Job', ...object }), JSON_TYPE));
  expect(String(alone)).toContain(
    `returned 200 OK with JSON that is not a Kubernetes object: ${fault}; this is not the response of an API server: `,
  );
  expect(await refusedList([null, job('a'), { constructor: 5, ...object }])).toContain(`: items[1]: ${fault}; `);
});

test('the error names a list that is the response to a request for one object', async () => {
  const list = text(JSON.stringify({ kind: 'JobList', metadata: { resourceVersion: '1' }, items: [] }), JSON_TYPE);
  expect(String(await getClientError('GET', list))).toContain('not a Kubernetes object: metadata.name is missing; ');
});

test.each([5, 'x', [], true])('the error names an item that is %j', async (item) => {
  expect(await refusedList([job('a'), item])).toContain(': items[1]: it must be an object; ');
});

async function refusedList(items: readonly unknown[]): Promise<string> {
  const answer = { kind: 'JobList', metadata: { resourceVersion: '1' }, items };
  return String(await getClientError('GET', text(JSON.stringify(answer), JSON_TYPE), LIST_REQUEST.path));
}

test.each([
  ['GET', '/apis', { kind: 'APIGroupList', groups: [] }],
  ['GET', '/apis/batch/v1', { kind: 'APIResourceList', resources: [] }],
  ['GET', '/p/apis/batch/v1/jobs', { kind: 'JobList', metadata: {} }],
  ['GET', '/api/v1/namespaces/a/pods', { kind: 'List', metadata: {}, items: [] }],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { kind: 'SelfSubjectAccessReview', status: {} }],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { kind: 'SelfSubjectAccessReview', metadata: {} }],
  ['GET', '/apis/a.io/v1/namespaces/b/allowlists/c', { kind: 'AllowList', metadata: { name: 'c' }, items: 'all' }],
  ['DELETE', '/api/v1/namespaces/a', { kind: 'Status', metadata: {} }],
  ['DELETE', '/api/v1/namespaces/a', { kind: 'Status' }],
])('accepts the response to %s %s: %j', (method, path, object) => {
  const answer = { statusCode: 200, headers: {}, text: JSON.stringify(object) };
  expect(parseResponseObject({ method, origin: 'https://a', path }, answer)).toEqual(object);
});

test.each([
  ['a login page', text(PAGE, 'text/html')],
  ['text', text('hello', 'text/plain')],
])('a watch with the response %s throws an error', async (_, fault) => {
  await using scene = await TransportHarness.start();
  scene.server.fail({}, fault);
  expect(await catchRejection(scene.transport.stream({ ...LIST_REQUEST, query: { watch: true } }))).toBeInstanceOf(
    InvalidResponseError,
  );
});

test('accepts any log but HTML', async () => {
  await using scene = await TransportHarness.start();
  const logs = () => streamPodLogs(scene.transport, { namespace: 'default', name: 'a' });
  scene.server.fail({}, text('<p>not a page', 'text/plain'));
  expect(Buffer.concat(await Array.fromAsync(await logs())).toString()).toBe('<p>not a page');
  scene.server.fail({}, text(PAGE, 'text/html'));
  expect(await catchRejection(logs())).toBeInstanceOf(InvalidResponseError);
});

test('accepts responses without a kind, such as /version', () => {
  const answer = { statusCode: 200, headers: {}, text: '{"major":"1"}' };
  const request = { method: 'GET', origin: 'https://a', path: '/version' };
  expect(parseResponseObject(request, answer)).toEqual({ major: '1' });
  expect(() => parseResponseObject({ ...request, path: '/prefix/api/v1' }, answer)).toThrow(InvalidResponseError);
});

test('accepts the schema of an API server as plain text without a kind', () => {
  const request = { method: 'GET', origin: 'https://a', path: '/openapi/v3/apis/batch/v1' };
  const answer = { statusCode: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, text: '{"openapi":"3"}' };
  expect(parseResponseObject(request, checkResponse(request, answer))).toEqual({ openapi: '3' });
  expect(() => parseResponseObject(request, { ...answer, text: 'log in first' })).toThrow(InvalidResponseError);
  expect(() => checkResponse({ ...request, path: '/apis/batch/v1' }, answer)).toThrow(InvalidResponseError);
});

/** A default backend, a login page, a firewall or a load balancer sends errors for objects that exist. */
test.each([
  ['404 Not Found: default backend - 404', text('default backend - 404', 'text/plain', 404)],
  ['404 Not Found with HTML', text(PAGE, 'text/html', 404)],
  ['404 Not Found', text('', '', 404)],
  ['404 Not Found: {"error":"no route"}', text('{"error":"no route"}', JSON_TYPE, 404)],
  ['403 Forbidden with HTML', text(PAGE, 'text/html', 403)],
  ['408 Request Timeout', text('', '', 408)],
  ['302 Found and redirected to https://b', text(PAGE, 'text/html', 302, { location: 'https://b?c=secret' })],
  ['307 Temporary Redirect and redirected to http://127', text('', '', 307, { location: '/secret' })],
])('the response %s of a proxy says nothing about the object', async (want, fault) => {
  const error = await getClientError('GET', fault);
  expect(error).toBeInstanceOf(InvalidResponseError);
  expect(String(error)).toMatch(/ http:\/\/127.*\/apis\/batch\/v1\/.*; this is not the response of an API server/);
  expect(String(error)).toContain(` returned ${want}`);
  expect(String(error)).not.toMatch(/\n|<|secret/);
});

test('a 404 response to an unknown path is from the API server', async () => {
  expect(isNotFound(await getClientError('GET', text('404 page not found\n', 'text/plain', 404)))).toBe(true);
});

test.each(['SSH-2.0-OpenSSH_9.6\r\n', '\u0015\u0003\u0001\u0000\u0002\u0002\u0016', 'HTTP/1.1 999999 x\r\n\r\n'])(
  'a server that sends %j does not use HTTP',
  async (bytes) => {
    await using scene = await TransportHarness.start();
    const server = createServer((socket) => socket.on('error', () => {}).end(bytes, 'latin1'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    scene.credentials.useServer(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)); // a TCP port
    for (const send of ['request', 'stream'] as const) {
      const error = await catchRejection(scene.transport[send](LIST_REQUEST));
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(String(error)).toMatch(
        /GET http:\/\/127.* returned a response that is not HTTP; this is not the response/,
      );
    }
    server.close();
  },
);

describe('an error response without a Status', () => {
  test.each<[string, ResponseFault, string]>([
    ['HTML', text(PAGE, 'text/html', 502), '502 Bad Gateway with HTML'],
    ['HTML without a type', text(PAGE, '', 503), '503 Service Unavailable with HTML'],
    ['nothing', text('', '', 500), '500 Internal Server Error'],
    ['text', text('too many\n requests ', 'text/plain', 429), '429 Too Many Requests: too many requests'],
    ['a long text', text('x'.repeat(1000), 'text/plain', 500), `500 Internal Server Error: ${'x'.repeat(200)}…`],
    ['JSON of others', text('{"error":"login"}', JSON_TYPE, 401), '401 Unauthorized: {"error":"login"}'],
    ['a wrong Status', text('{"message":{},"reason":5,"details":{"causes":7}}', JSON_TYPE, 500), '500 Internal'],
    [
      'a Status of nulls',
      text('{"kind":"Status","message":null,"reason":null,"details":{"causes":null}}', JSON_TYPE, 409),
      '409 Conflict',
    ],
    ['an unknown code', text('', '', 599), '599'],
  ])('has a message with the URL and the code of %s on one line', async (_, fault, want) => {
    await using scene = await TransportHarness.start();
    for (let times = 0; times < 4; times++) scene.server.fail({}, fault);
    for (const error of [
      await catchRejection(scene.transport.request(createGetRequest('a'))),
      await catchRejection(scene.transport.stream({ ...createGetRequest('a'), query: { watch: true } })),
    ]) {
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ reason: '', causes: [] });
      const { message } = error as ApiError; // it is an ApiError
      expect(message).toContain(`GET ${scene.server.url.origin}${createGetRequest('a').path} returned ${want}`);
      expect(message).not.toMatch(/\n|<|secret/);
    }
  });

  test('is not read to its end when it is endless', async () => {
    await using scene = await TransportHarness.start();
    scene.server.fail({}, text('x'.repeat(10_000_000), 'text/plain', 500));
    expect(await catchRejection(scene.transport.stream({ ...LIST_REQUEST, query: { watch: true } }))).toBeInstanceOf(
      ApiError,
    );
  });
});
