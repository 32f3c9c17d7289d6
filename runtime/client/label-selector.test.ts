import { expect, test } from 'vitest';
import { type LabelSelector, LabelSelectorError, ParsedLabelSelector } from './label-selector.ts';

const LABELS = { web: { app: 'web', tier: 'front', 'example.com/rev': '12' }, db: { app: 'db', empty: '' }, none: {} };

/** What apimachinery's `labels.Parse` and `Matches` make of the same. */
test.each<{ selector: LabelSelector; want: readonly (keyof typeof LABELS)[] }>([
  { selector: '', want: ['web', 'db', 'none'] },
  { selector: '  ', want: ['web', 'db', 'none'] },
  { selector: 'app=web', want: ['web'] },
  { selector: 'app == web', want: ['web'] },
  { selector: 'app!=web', want: ['db', 'none'] },
  { selector: 'app', want: ['web', 'db'] },
  { selector: '!app', want: ['none'] },
  { selector: '! tier', want: ['db', 'none'] },
  { selector: 'app in (web,db)', want: ['web', 'db'] },
  { selector: 'app in ( web )', want: ['web'] },
  { selector: 'app notin (web,cache)', want: ['db', 'none'] },
  { selector: 'app=web,tier in (front,back),!legacy', want: ['web'] },
  { selector: 'app=web,tier=back', want: [] },
  { selector: 'empty=', want: ['db'] },
  { selector: 'empty=,app=db', want: ['db'] },
  { selector: 'empty in (,x)', want: ['db'] },
  { selector: 'empty in ()', want: ['db'] },
  { selector: 'example.com/rev>11', want: ['web'] },
  { selector: 'example.com/rev > 12', want: [] },
  { selector: 'example.com/rev<100', want: ['web'] },
  { selector: 'app>1', want: [] },
  { selector: 'in in (in)', want: [] },
  { selector: 'toString', want: [] },
  { selector: {}, want: ['web', 'db', 'none'] },
  { selector: { matchLabels: { app: 'web', tier: 'front' } }, want: ['web'] },
  { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['db', 'x'] }] }, want: ['db'] },
  { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db'] }] }, want: ['web', 'none'] },
  { selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, want: ['web'] },
  {
    selector: { matchLabels: { app: 'db' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
    want: ['db'],
  },
])('$selector selects $want', ({ selector, want }) => {
  const parsed = new ParsedLabelSelector(selector);
  const names = Object.keys(LABELS) as (keyof typeof LABELS)[];
  expect(names.filter((name) => parsed.matches(LABELS[name]))).toEqual(want);
  const again = new ParsedLabelSelector(String(parsed));
  expect(names.filter((name) => again.matches(LABELS[name]))).toEqual(want);
});

test.each([
  ['a,', 'it ends where a label is expected'],
  [',a', '"," comes where a label is expected'],
  ['a b', '"b" comes where an operator is expected'],
  ['!a=b', '"=" comes where "," or the end is expected'],
  ['a=b c', '"c" comes where "," or the end is expected'],
  ['a in b', '"b" comes where "(" is expected'],
  ['a in (b', 'it ends where "," or ")" is expected'],
  ['a=(b)', '"(" comes where "," or the end is expected'],
  ['-a=b', '"-a" is not a valid label key'],
  ['a/b/c', '"a/b/c" is not a valid label key'],
  ['A_/b', '"A_/b" is not a valid label key'],
  [`${'a'.repeat(64)}`, 'is not a valid label key'],
  ['a=b/c', '"b/c" is not a valid value of the label a'],
  [`a=${'b'.repeat(64)}`, 'is not a valid value of the label a'],
  ['a>b', 'a is compared with "b", which is not an integer'],
])('"%s" is refused: %s', (selector, message) => {
  expect(() => new ParsedLabelSelector(selector)).toThrow(LabelSelectorError);
  expect(() => new ParsedLabelSelector(selector)).toThrow(message);
});

test('an object is refused that has values where there must be none, or none where there must be some', () => {
  const some = { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } as const;
  expect(() => new ParsedLabelSelector(some)).toThrow('Exists of a takes no values');
  const none = { matchExpressions: [{ key: 'a', operator: 'In' }] } as const;
  expect(() => new ParsedLabelSelector(none)).toThrow('In of a takes values');
});

test('the text is the same, in whatever order a selector says the same', () => {
  expect(String(new ParsedLabelSelector('tier in (b,a), app = web,!x'))).toBe('!x,app=web,tier in (a,b)');
  const object: LabelSelector = {
    matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }],
    matchLabels: { app: 'web' },
  };
  expect(String(new ParsedLabelSelector(object))).toBe('app=web,tier in (a,b)');
});
