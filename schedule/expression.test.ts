import { describe, expect, test } from 'vitest';
import { parseExpression } from './expression.ts';

describe('a macro means its five fields', () => {
  test.each([
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['@monthly', '0 0 1 * *'],
    ['@weekly', '0 0 * * 0'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@hourly', '0 * * * *'],
  ])('%s: %s', (macro, fields) => {
    expect(parseExpression(macro)).toEqual(parseExpression(fields));
    expect(parseExpression(macro).kind).toBe('cron');
  });
});

test.each([
  ['@every 1s', 1000],
  ['@every 1h30m', 5_400_000],
  ['@every 1.9s', 1000],
])('%s counts whole seconds: %d ms', (text, periodMs) => {
  expect(parseExpression(text)).toEqual({ kind: 'every', periodMs });
});

describe('refuses', () => {
  test.each([
    ['TZ=UTC * * * * *', 'must not name a time zone; use timeZone instead of TZ='],
    ['CRON_TZ=UTC * * * * *', 'must not name a time zone; use timeZone instead of TZ='],
    ['@reboot', /^must be one of @yearly, .*@hourly or "@every <duration>"$/],
    ['@toString', /^must be one of/],
    ['constructor', /^must have 5 fields/],
    ['__proto__', /^must have 5 fields/],
    ['@every', /^must be one of/],
    ['@every 999ms', 'must be at least 1s after @every'],
    ['@every -1h', 'must be at least 1s after @every'],
    ['@every often', /"often" is not a duration/],
    ['', /^must have 5 fields/],
    ['61 * * * *', /^minute must be 0-59/],
  ])('%j', (text, want) => {
    expect(parseExpression(text)).toEqual({
      kind: 'invalid',
      message: typeof want === 'string' ? want : expect.stringMatching(want),
    });
  });
});
