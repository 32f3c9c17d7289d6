import { expect, test } from 'vitest';
import { type LabelSelector, LabelSelectorError, ParsedLabelSelector } from './label-selector.ts';

const LABELS = { web: { app: 'web', tier: 'front', 'example.com/rev': '12' }, db: { app: 'db', empty: '' }, none: {} };

/** The results of apimachinery's `labels.Parse` and `Matches`. */
test.each<[selector: LabelSelector, want: readonly (keyof typeof LABELS)[]]>([
  ['', ['web', 'db', 'none']],
  ['  ', ['web', 'db', 'none']],
  ['app=web', ['web']],
  ['app == web', ['web']],
  ['app!=web', ['db', 'none']],
  ['app', ['web', 'db']],
  ['!app', ['none']],
  ['! tier', ['db', 'none']],
  ['app in (web,db)', ['web', 'db']],
  ['app in ( web )', ['web']],
  ['app notin (web,cache)', ['db', 'none']],
  ['app=web,tier in (front,back),!legacy', ['web']],
  ['app=web,tier=back', []],
  ['empty=', ['db']],
  ['empty=,app=db', ['db']],
  ['empty in (,x)', ['db']],
  ['empty in ()', ['db']],
  ['example.com/rev>11', ['web']],
  ['example.com/rev > 12', []],
  ['example.com/rev<100', ['web']],
  ['app>1', []],
  ['in in (in)', []],
  ['toString', []],
  [{}, ['web', 'db', 'none']],
  [{ matchLabels: { app: 'web', tier: 'front' } }, ['web']],
  [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['db', 'x'] }] }, ['db']],
  [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db'] }] }, ['web', 'none']],
  [{ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, ['web']],
  [{ matchLabels: { app: 'db' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, ['db']],
])('%j selects %j', (selector, want) => {
  const parsed = new ParsedLabelSelector(selector);
  const names = Object.keys(LABELS) as (keyof typeof LABELS)[];
  expect(names.filter((name) => parsed.matches(LABELS[name]))).toEqual(want);
  const again = new ParsedLabelSelector(String(parsed));
  expect(names.filter((name) => again.matches(LABELS[name]))).toEqual(want);
});

test.each([
  ['a,', 'found the end, expected a label'],
  [',a', 'found ",", expected a label'],
  ['a b', 'found "b", expected an operator'],
  ['!a=b', 'found "=", expected "," or the end'],
  ['a=b c', 'found "c", expected "," or the end'],
  ['a in b', 'found "b", expected "("'],
  ['a in (b', 'found the end, expected "," or ")"'],
  ['a=(b)', 'found "(", expected "," or the end'],
  ['-a=b', '"-a" is not a valid label key'],
  ['a/b/c', '"a/b/c" is not a valid label key'],
  ['A_/b', '"A_/b" is not a valid label key'],
  [`${'a'.repeat(64)}`, 'is not a valid label key'],
  ['a=b/c', '"b/c" is not a valid value of the label a'],
  [`a=${'b'.repeat(64)}`, 'is not a valid value of the label a'],
  ['a>b', 'a must be compared with an integer, not "b"'],
])('"%s" is refused: %s', (selector, message) => {
  expect(() => new ParsedLabelSelector(selector)).toThrow(LabelSelectorError);
  expect(() => new ParsedLabelSelector(selector)).toThrow(message);
});

test('rejects an object with values where none are allowed, or without required values', () => {
  const some = { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } as const;
  expect(() => new ParsedLabelSelector(some)).toThrow('Exists of a takes no values');
  const none = { matchExpressions: [{ key: 'a', operator: 'In' }] } as const;
  expect(() => new ParsedLabelSelector(none)).toThrow('In of a requires values');
});

test('equivalent selectors have equal texts in any order', () => {
  expect(String(new ParsedLabelSelector('tier in (b,a), app = web,!x'))).toBe('!x,app=web,tier in (a,b)');
  const object: LabelSelector = {
    matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }],
    matchLabels: { app: 'web' },
  };
  expect(String(new ParsedLabelSelector(object))).toBe('app=web,tier in (a,b)');
});
