import { describe, expect, test } from 'vitest';
import { type BindAddress, formatBindAddress, parseBindAddress } from './bind-address.ts';

const FORMS: readonly [string, BindAddress][] = [
  ['0', { kind: 'off' }],
  [':8081', { kind: 'listen', port: 8081 }],
  [':0', { kind: 'listen', port: 0 }],
  ['127.0.0.1:0', { kind: 'listen', host: '127.0.0.1', port: 0 }],
  ['localhost:65535', { kind: 'listen', host: 'localhost', port: 65535 }],
  ['[::1]:8080', { kind: 'listen', host: '::1', port: 8080 }],
];

describe('parseBindAddress', () => {
  test.each(FORMS)('reads %s', (text, address) => {
    expect(parseBindAddress(text)).toEqual(address);
  });

  test.each(['', '8081', 'localhost', '::1:8080', ':http', ':80 ', '[::1]', 'http://x:80'])('rejects %j', (text) => {
    expect(parseBindAddress(text)).toEqual({
      kind: 'invalid',
      message: `"${text}" is not an address with a port; use ":8081", "127.0.0.1:8081", "[::1]:8081", or "0" to turn it off`,
    });
  });

  test('rejects a port that is too large', () => {
    expect(parseBindAddress(':65536')).toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/^port 65536 is greater than 65535; /),
    });
  });
});

test.each(FORMS)('formatBindAddress writes %s', (text, address) => {
  expect(formatBindAddress(address)).toBe(text);
});
