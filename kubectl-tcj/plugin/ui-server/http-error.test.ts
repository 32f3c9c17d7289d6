import { ApiError, ConfigurationError, InvalidResponseError } from 'controller-runtime';
import { expect, test } from 'vitest';
import { HttpError, toBrokenWatchState, toHttpError } from './http-error.ts';

const SERVER = 'https://cluster.example';

function network(code: string): Error {
  return new Error('fetch', { cause: Object.assign(new Error('socket'), { code }) });
}

const apiError = (code: number) => new ApiError(code, { message: 'no' });

test.each([
  [apiError(400), 400, undefined],
  [apiError(401), 502, 'Unauthorized'],
  [apiError(403), 403, 'Forbidden'],
  [apiError(404), 404, 'NotInstalled'],
  [apiError(409), 409, 'Unreachable'],
  [apiError(410), 502, undefined],
  [apiError(422), 422, undefined],
  [apiError(429), 429, undefined],
  [apiError(500), 502, 'Unreachable'],
  [apiError(503), 502, 'Unreachable'],
  [apiError(504), 504, 'Unreachable'],
  [network('ECONNREFUSED'), 502, 'Unreachable'],
  [network('UND_ERR_HEADERS_TIMEOUT'), 504, 'Unreachable'],
  [new ConfigurationError('kubeconfig a: the exec plugin b printed no ExecCredential'), 502, 'Unauthorized'],
])('answers %s with %i, and breaks a watch with %s', (error, status, reason) => {
  const refusal = toHttpError(error, SERVER);
  expect(refusal?.status).toBe(status);
  expect(Object.keys(refusal?.pageError ?? {})).toEqual(expect.arrayContaining(['message']));
  expect(toBrokenWatchState(error, { server: SERVER, namespace: undefined })).toEqual(
    reason && expect.objectContaining({ kind: 'Broken', reason }),
  );
});

test.each([
  [new InvalidResponseError('GET https://cluster.example/apis returned 200 OK with HTML'), / with HTML/],
  [network('DEPTH_ZERO_SELF_SIGNED_CERT'), /the certificate of the API server is not signed by/],
])('%s is not an unreachable API server', (error, sentence) => {
  const target = { server: SERVER, namespace: undefined };
  for (const message of [toHttpError(error, SERVER)?.message, toBrokenWatchState(error, target)]) {
    expect(JSON.stringify(message)).toMatch(sentence);
    expect(JSON.stringify(message)).not.toContain('cannot be reached');
  }
});

test('names the cause of a broken watch without an error code', () => {
  expect(toBrokenWatchState(new Error('the watch ended'), { server: SERVER, namespace: undefined })).toHaveProperty(
    'message',
    'Cannot watch the CronJobs at https://cluster.example: the watch ended.',
  );
});

test('does not turn a program fault into a response', () => {
  expect(toHttpError(new TypeError('x is not a function'), SERVER)).toBeUndefined();
  expect(toHttpError(new HttpError(418, 'a.'), SERVER)?.status).toBe(418);
});

test('names the namespace of a missing permission', () => {
  const said = (namespace: string | undefined) => toBrokenWatchState(apiError(403), { server: SERVER, namespace });
  expect(said(undefined)).toHaveProperty('message', expect.stringContaining('CronJobs in all namespaces '));
  expect(said('team-a')).toHaveProperty('message', expect.stringContaining('CronJobs in namespace team-a '));
});
