import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CRON_JOB_STATES } from '../../plugin/report/cron-job-state.ts';
import {
  computeRange,
  createFixedRange,
  DEFAULT_VIEW,
  formatQuery,
  HOUR_MS,
  parseView,
  RANGE_HOURS,
  type RangeChoice,
  shiftRange,
  toSharedView,
  type View,
} from './view.ts';

const NOW_MS = Date.parse('2026-11-23T10:07:30Z');
const instants = fc.integer({ min: 0, max: Date.parse('2100-01-01T00:00:00Z') });
const rangeChoices: fc.Arbitrary<RangeChoice> = fc.oneof(
  fc.constantFrom(...RANGE_HOURS).map((hours): RangeChoice => ({ kind: 'Around', hours })),
  fc
    .tuple(instants, fc.integer({ min: 60_000, max: 168 * HOUR_MS }))
    .map(([fromMs, ms]) => createFixedRange(fromMs, fromMs + ms)),
);
const names = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/);
const views: fc.Arbitrary<View> = fc
  .record({
    searchText: fc.string({ unit: 'grapheme' }),
    namespace: fc.oneof(fc.constant(''), names),
    labelSelector: fc.string(),
    states: fc.subarray([...CRON_JOB_STATES]),
    shouldHideEmpty: fc.boolean(),
    rangeChoice: rangeChoices,
    zone: fc.constantFrom('local' as const, 'utc' as const),
    cronJob: fc.oneof(
      fc.constant(''),
      fc.tuple(names, names).map((parts) => parts.join('/')),
    ),
    jobName: fc.oneof(fc.constant(''), names),
    entryTime: fc.oneof(
      fc.constant(''),
      instants.map((ms) => new Date(ms).toISOString()),
    ),
    context: fc.string(),
  })
  .map((view): View => ({ ...view, ...(view.cronJob === '' && { jobName: '', entryTime: '' }) }));

test('parses the query of any view to the same view', () => {
  fc.assert(
    fc.property(views, (view) => {
      expect(parseView(formatQuery(view))).toEqual(view);
    }),
  );
});

test('parses any query to a view whose own query is stable', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webQueryParameters()), (query) => {
      const view = parseView(query);
      expect(parseView(formatQuery(view))).toEqual(view);
    }),
  );
});

test('has an empty query for the default view', () => {
  expect(formatQuery(DEFAULT_VIEW)).toBe('');
  expect(parseView('')).toEqual(DEFAULT_VIEW);
});

test('ignores invalid parameters', () => {
  const query =
    '?state=Failed,Nonsense&hours=5&zone=mars&busy=yes&cronjob=a/b/c&job=x&at=2026-11-23T02:00:00Z&from=yesterday&until=now&other=1';
  expect(parseView(query)).toEqual({ ...DEFAULT_VIEW, states: ['Failed'] });
});

test.each([
  { name: 'limits a range to a week', from: 0, until: 200 * HOUR_MS, want: 168 * HOUR_MS },
  { name: 'extends a range to a minute', from: 0, until: 1, want: 60_000 },
  { name: 'moves an end that is before the start', from: HOUR_MS, until: 0, want: HOUR_MS + 60_000 },
])('$name', ({ from, until, want }) => {
  expect(createFixedRange(from, until)).toEqual({ kind: 'Fixed', fromMs: from, untilMs: want });
});

test('shifts by half of the range, and back to the same range', () => {
  expect(shiftRange({ kind: 'Around', hours: 6 }, -0.5, NOW_MS)).toEqual({
    kind: 'Fixed',
    fromMs: NOW_MS - 6 * HOUR_MS,
    untilMs: NOW_MS,
  });
  fc.assert(
    fc.property(rangeChoices, (rangeChoice) => {
      const later = shiftRange(rangeChoice, 0.5, NOW_MS);
      const { fromMs, untilMs } = computeRange(rangeChoice, NOW_MS);
      const restored = computeRange(shiftRange(later, -0.5, NOW_MS), NOW_MS);
      // Half of an odd number of milliseconds is rounded.
      expect(Math.abs(restored.fromMs - fromMs)).toBeLessThanOrEqual(1);
      expect(Math.abs(restored.untilMs - untilMs)).toBeLessThanOrEqual(1);
    }),
  );
});

test('keeps the time range and the context in a shared view, whenever it is opened', () => {
  fc.assert(
    fc.property(views, instants, (view, laterMs) => {
      const shared = toSharedView(view, NOW_MS, 'production');
      expect(computeRange(shared.rangeChoice, laterMs)).toMatchObject(computeRange(view.rangeChoice, NOW_MS));
      expect({ ...shared, rangeChoice: view.rangeChoice }).toEqual({ ...view, context: 'production' });
    }),
  );
});
