import { expect, test } from 'vitest';
import { formatUnquoteHint } from './unquote-hint.ts';

test.each([
  ['integer', '3', '3'],
  ['integer', '-1', '-1'],
  ['integer', '+5', '5'],
  ['integer', ' 60\n', '60'],
  ['integer', '030', '30'],
  ['integer', '9007199254740991', '9007199254740991'],
  ['number', '1.50', '1.5'],
  ['number', '2', '2'],
  ['boolean', 'true', 'true'],
  ['boolean', 'False', 'false'],
  ['boolean', 'yes', 'true'],
  ['boolean', 'OFF', 'false'],
])('a hint for type %s: %j', (type, text, want) => {
  expect(formatUnquoteHint(type, text)).toBe(`; write ${want} without quotes`);
});

test.each([
  ['integer', '1.5'],
  ['integer', 'three'],
  ['integer', '0x10'],
  ['integer', '1_000'],
  ['integer', ''],
  ['integer', '9007199254740993'],
  ['integer', true],
  ['integer', ['3']],
  ['number', '1e3'],
  ['number', '.'],
  ['boolean', '1'],
  ['boolean', 'constructor'],
  ['object', '3'],
  ['array', 'true'],
])('no hint for type %s: %j', (type, value) => {
  expect(formatUnquoteHint(type, value)).toBe('');
});
