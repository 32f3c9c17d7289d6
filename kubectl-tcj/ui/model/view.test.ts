import fc from 'fast-check';
import { expect, test } from 'vitest';
import { STANDINGS } from '../../plugin/report/standing.ts';
import {
  DEFAULT_VIEW,
  fixedSpan,
  forColleague,
  HOUR_MS,
  HOURS,
  moved,
  queryOf,
  rangeOf,
  type Span,
  type View,
  viewOf,
} from './view.ts';

const NOW_MS = Date.parse('2026-11-23T10:07:30Z');
const instants = fc.integer({ min: 0, max: Date.parse('2100-01-01T00:00:00Z') });
const spans: fc.Arbitrary<Span> = fc.oneof(
  fc.constantFrom(...HOURS).map((hours): Span => ({ kind: 'Around', hours })),
  fc
    .tuple(instants, fc.integer({ min: 60_000, max: 168 * HOUR_MS }))
    .map(([fromMs, ms]) => fixedSpan(fromMs, fromMs + ms)),
);
const names = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/);
const views: fc.Arbitrary<View> = fc
  .record({
    text: fc.string({ unit: 'grapheme' }),
    namespace: fc.oneof(fc.constant(''), names),
    labels: fc.string(),
    standings: fc.subarray([...STANDINGS]),
    isBusyOnly: fc.boolean(),
    span: spans,
    zone: fc.constantFrom('local' as const, 'utc' as const),
    cronJob: fc.oneof(
      fc.constant(''),
      fc.tuple(names, names).map((parts) => parts.join('/')),
    ),
    job: fc.oneof(fc.constant(''), names),
    at: fc.oneof(
      fc.constant(''),
      instants.map((ms) => new Date(ms).toISOString()),
    ),
    context: fc.string(),
  })
  .map((view): View => ({ ...view, ...(view.cronJob === '' && { job: '', at: '' }) }));

test('an address opens the view that it was made from', () => {
  fc.assert(
    fc.property(views, (view) => {
      expect(viewOf(queryOf(view))).toEqual(view);
    }),
  );
});

test('any address opens something, and its own address is one that stays', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webQueryParameters()), (query) => {
      const view = viewOf(query);
      expect(viewOf(queryOf(view))).toEqual(view);
    }),
  );
});

test('the page as it begins has an address without anything', () => {
  expect(queryOf(DEFAULT_VIEW)).toBe('');
  expect(viewOf('')).toEqual(DEFAULT_VIEW);
});

test('what it does not understand it leaves out', () => {
  const query =
    '?state=Failed,Nonsense&hours=5&zone=mars&busy=yes&cronjob=a/b/c&job=x&at=2026-11-23T02:00:00Z&from=yesterday&until=now&other=1';
  expect(viewOf(query)).toEqual({ ...DEFAULT_VIEW, standings: ['Failed'] });
});

test.each([
  { name: 'a week is the longest', from: 0, until: 200 * HOUR_MS, want: 168 * HOUR_MS },
  { name: 'a minute is the shortest', from: 0, until: 1, want: 60_000 },
  { name: 'an end before the begin', from: HOUR_MS, until: 0, want: HOUR_MS + 60_000 },
])('$name', ({ from, until, want }) => {
  expect(fixedSpan(from, until)).toEqual({ kind: 'Fixed', fromMs: from, untilMs: want });
});

test('earlier and later are half of what is shown, and take each other back', () => {
  expect(moved({ kind: 'Around', hours: 6 }, -0.5, NOW_MS)).toEqual({
    kind: 'Fixed',
    fromMs: NOW_MS - 6 * HOUR_MS,
    untilMs: NOW_MS,
  });
  fc.assert(
    fc.property(spans, (span) => {
      const there = moved(span, 0.5, NOW_MS);
      const { fromMs, untilMs } = rangeOf(span, NOW_MS);
      const back = rangeOf(moved(there, -0.5, NOW_MS), NOW_MS);
      // Half of an odd number of milliseconds is rounded.
      expect(Math.abs(back.fromMs - fromMs)).toBeLessThanOrEqual(1);
      expect(Math.abs(back.untilMs - untilMs)).toBeLessThanOrEqual(1);
    }),
  );
});

test('a colleague gets the same time, whenever it is opened, and the context that it is of', () => {
  fc.assert(
    fc.property(views, instants, (view, laterMs) => {
      const given = forColleague(view, NOW_MS, 'production');
      expect(rangeOf(given.span, laterMs)).toMatchObject(rangeOf(view.span, NOW_MS));
      expect({ ...given, span: view.span }).toEqual({ ...view, context: 'production' });
    }),
  );
});
