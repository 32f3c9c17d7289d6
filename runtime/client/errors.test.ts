import { describe, expect, test } from 'vitest';
import {
  ApiError,
  findApiError,
  ignoreAlreadyExists,
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isRequestRejected,
  isTooManyRequests,
} from './errors.ts';

describe('predicates', () => {
  const predicates = [
    isAlreadyExists,
    isConflict,
    isExpired,
    isForbidden,
    isInvalid,
    isNamespaceTerminating,
    isNotFound,
    isRequestRejected,
    isTooManyRequests,
  ] as const;
  const terminating = { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } };
  const wrapped = new Error('a', { cause: new Error('b', { cause: new ApiError(404, {}) }) });

  test.each([
    ['an object that is not there', new ApiError(404, {}), [isNotFound, isRequestRejected]],
    ['a version that is not the newest', new ApiError(409, {}), [isConflict]],
    ['a name that is taken', new ApiError(409, { reason: 'AlreadyExists' }), [isAlreadyExists]],
    ['a version that is too old', new ApiError(410, {}), [isExpired, isRequestRejected]],
    ['an object that is invalid', new ApiError(422, {}), [isInvalid, isRequestRejected]],
    [
      'a namespace on its way out',
      new ApiError(403, terminating),
      [isForbidden, isNamespaceTerminating, isRequestRejected],
    ],
    ['a permission that is missing', new ApiError(403, {}), [isForbidden, isRequestRejected]],
    ['too many requests', new ApiError(429, {}), [isTooManyRequests]],
    ['a fault of the server', new ApiError(500, {}), []],
    ['no answer at all', new Error('socket hang up'), []],
    ['a value that is not an error', 'oops', []],
    ['an ApiError that others wrap', wrapped, [isNotFound, isRequestRejected]],
  ])('match %s', (_, given, want) => {
    expect(predicates.filter((holds) => holds(given))).toEqual(want);
  });
});

describe('findApiError', () => {
  test('finds the first ApiError of a chain', () => {
    const inner = new ApiError(500, {});
    const outer = new ApiError(404, {});
    outer.cause = inner;
    expect(findApiError(new Error('get', { cause: outer }))).toBe(outer);
  });

  test('does not hang on an error that causes itself', () => {
    const error = new Error('a');
    error.cause = error;
    expect(findApiError(error)).toBeUndefined();
  });
});

describe('ApiError', () => {
  test("has the fields of the server's Status", () => {
    const causes = [{ reason: 'FieldValueInvalid', message: 'minute must be 0-59', field: 'spec.schedule' }];
    const status = { reason: 'Invalid', message: 'CronJob is invalid' };
    const error = new ApiError(422, { ...status, details: { causes, retryAfterSeconds: 3 } });
    expect(error).toMatchObject({ ...status, code: 422, causes, retryAfterMs: 3000 });
  });

  test('has a message with the code when the server sends no Status', () => {
    expect(new ApiError(502, {})).toMatchObject({
      message: 'the API server returned 502',
      reason: '',
      causes: [],
      retryAfterMs: undefined,
    });
  });

  test('prefers the Retry-After header to the retryAfterSeconds of the Status', () => {
    expect(new ApiError(429, { details: { retryAfterSeconds: 3 } }, 5000).retryAfterMs).toBe(5000);
  });
});

test.each([
  ['what is not there', ignoreNotFound, new ApiError(404, {})],
  ['that something is there already', ignoreAlreadyExists, new ApiError(409, { reason: 'AlreadyExists' })],
])('ignores %s, and no other error', async (_, ignore, expected) => {
  expect(await ignore(Promise.resolve('answer'))).toBe('answer');
  expect(await ignore(Promise.reject(expected))).toBeUndefined();
  const conflict = new ApiError(409, {});
  await expect(ignore(Promise.reject(conflict))).rejects.toBe(conflict);
});
