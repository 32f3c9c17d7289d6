/** A part of what `npm run model` explores; the stories that it once told are tests beside the code that they changed. */
import { describe, expect, test } from 'vitest';
import { explore } from './explore.ts';
import { quietFaults, secondRunFault, statusFaults } from './laws.ts';
import { type Budget, initialState, storeNewJob, storeStatus } from './state.ts';

const ONE_OF_EACH: Budget = { slots: 2, faults: 1, crashes: 1, finishes: 1, deletions: 1, edits: 1, crowds: 1 };
const MAX_STATES = 10_000;

test.each(['Allow', 'Forbid', 'Replace'] as const)(
  'no law is broken in the first states under %s, with a fault, a crash, an end, a deletion, an edit and a crowd',
  async (concurrencyPolicy) => {
    const { states, violation } = await explore(initialState({ concurrencyPolicy }, ONE_OF_EACH), {
      maxStates: MAX_STATES,
    });
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThanOrEqual(MAX_STATES);
  },
);

test('a small budget is explored to its end', async () => {
  const none: Budget = { slots: 1, faults: 0, crashes: 0, finishes: 1, deletions: 0, edits: 0, crowds: 0 };
  const { isComplete, violation } = await explore(initialState({}, none), { maxStates: MAX_STATES });
  expect({ isComplete, violation }).toEqual({ isComplete: true, violation: undefined });
});

describe('the laws find', () => {
  const state = initialState({}, ONE_OF_EACH);
  const job = (name: string) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: {} }) as never;
  const ran = storeNewJob(state, job('c-1767225660')).state;

  test('a slot that runs twice', () => {
    expect(secondRunFault(ran, 'c-1767225660')).toEqual(['c-1767225660 runs a second time']);
    expect(secondRunFault({ ...ran, unprovable: ['c-1767225660'] }, 'c-1767225660')).toEqual([]);
  });

  test.each([
    ['a run that never was', { lastScheduleTime: '2026-01-01T00:02:00Z' }],
    ['an active Job that never was', { active: [{ name: 'c-1' }] }],
    ['an end that has not come', { recentRuns: ['2026-01-01T00:01:00Z Succeeded c-1767225660 Schedule'] }],
    ['a skip of a slot that ran', { recentSkips: ['2026-01-01T00:01:00Z Superseded'] }],
    ['a time ahead of the clock', { handledThrough: '2026-01-01T00:05:00Z' }],
  ])('a status that claims %s', (_, status) => {
    expect(statusFaults(ran)).toEqual([]);
    expect(statusFaults(storeStatus(ran, status))).toHaveLength(1);
  });

  test('a slot that nothing explains', () => {
    const since = { schedule: '* * * * *', timeZone: 'UTC', since: '2026-01-01T00:00:00Z' };
    const later = { ...storeStatus(ran, { effectiveSchedule: since }), nowMs: Date.parse('2026-01-01T00:02:00Z') };
    expect(quietFaults(later)).toEqual(['2026-01-01T00:02:00Z neither ran nor has a recorded reason']);
  });
});
