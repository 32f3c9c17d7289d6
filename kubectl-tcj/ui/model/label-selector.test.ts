import { expect, test } from 'vitest';
import { parseSelector } from './label-selector.ts';

const LABELS = { team: 'data', stage: 'prod', 'app.kubernetes.io/name': 'export', empty: '' };

test.each([
  ['', true],
  ['  ', true],
  ['team=data', true],
  ['team==data', true],
  [' team = data ', true],
  ['team=shop', false],
  ['empty=', true],
  ['absent=', false],
  ['team!=shop', true],
  ['team!=data', false],
  // As in kubectl, `!=` also matches an object without the label.
  ['absent!=data', true],
  ['team', true],
  ['absent', false],
  ['!absent', true],
  ['!team', false],
  ['team in (data, shop)', true],
  ['team in (shop)', false],
  ['team notin (shop,web)', true],
  ['team notin (data)', false],
  ['absent notin (data)', true],
  ['absent in (data)', false],
  ['app.kubernetes.io/name=export', true],
  ['team=data,stage=prod', true],
  ['team in (data,shop), stage!=test, !absent', true],
  ['team=data,stage=test', false],
  ['constructor', false],
  ['toString=1', false],
])('%j: %j', (text, want) => {
  expect(parseSelector(text)?.(LABELS)).toBe(want);
});

test.each(['team=data=shop', '=data', 'team=a b', 'team in data', 'team in (data', 'team=data,', ',', 'team > 1', '!'])(
  'rejects the selector %j',
  (text) => {
    expect(parseSelector(text)).toBeUndefined();
  },
);
