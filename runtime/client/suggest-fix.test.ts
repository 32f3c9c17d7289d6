import { expect, test } from 'vitest';
import { ApiError } from './errors.ts';
import { ProxyError } from './proxy-error.ts';
import { suggestFix } from './suggest-fix.ts';

test.each([
  ['no connection', new TypeError('fetch failed', { cause: failed('ECONNREFUSED') }), 'reachable'],
  ['an unknown issuer', new Error('get', { cause: failed('DEPTH_ZERO_SELF_SIGNED_CERT') }), 'certificate-authority'],
  ['a proxy', new ProxyError('no tunnel', 'correct proxy-url'), 'correct proxy-url'],
  ['401', new ApiError(401, { message: 'Unauthorized' }), 'credentials'],
  ['403', new Error('list', { cause: new ApiError(403, { message: 'no' }) }), 'grant the permission'],
  ['500', new ApiError(500, { message: 'storage is (re)initializing' }), 'check the API server'],
  ['422', new ApiError(422, { message: 'invalid' }), 'the error describes'],
])('suggests a fix for %s', (_, error, fix) => {
  expect(suggestFix(error)).toContain(fix);
});

function failed(code: string): Error {
  return Object.assign(new Error(code), { code });
}
