import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { conditions } from '../schema/conditions.ts';
import { widget } from '../test-support/objects.ts';
import {
  type Condition,
  errorCondition,
  getCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './conditions.ts';

const NOW = new Date('2026-01-01T00:05:00.900Z');
const ready: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'Up',
  message: 'all is well',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
const other: Condition = { ...ready, type: 'Other', status: 'Unknown' };
const { lastTransitionTime: _, ...found } = ready;

describe('setCondition', () => {
  test.each([
    { name: 'to none', given: undefined, want: [] },
    { name: 'to others', given: [other], want: [other] },
  ])('adds a condition $name', ({ given, want }) => {
    const added = { ...ready, lastTransitionTime: '2026-01-01T00:05:00Z' };
    expect(setCondition(given, found, NOW)).toEqual([...want, added]);
  });

  test('sets several conditions', () => {
    const stalled = { ...found, type: 'Stalled', status: 'False' } as const;
    const lastTransitionTime = '2026-01-01T00:05:00Z';
    expect(setCondition([other, ready], [{ ...found, status: 'False' }, stalled], NOW)).toEqual([
      other,
      { ...ready, status: 'False', lastTransitionTime },
      { ...stalled, lastTransitionTime },
    ]);
    const given = [ready, other];
    expect(setCondition(given, [found], NOW)).toBe(given);
    expect(setCondition(given, [], NOW)).toBe(given);
  });

  test('accepts and returns the condition type of a schema', () => {
    const status = z.object({ conditions: conditions() });
    const before: z.output<typeof status> = { conditions: [{ ...ready, observedGeneration: undefined }] };
    const after: z.input<typeof status> = { conditions: [...setCondition(before.conditions, found, NOW)] };
    expect(after).toEqual({ conditions: [ready] });
  });

  test('sets the transition time when the status changes, in place', () => {
    const down = { ...found, status: 'False', reason: 'Down', message: 'one is gone' } as const;
    const after = { ...down, lastTransitionTime: '2026-01-01T00:05:00Z' };
    expect(setCondition([ready, other], down, NOW)).toEqual([after, other]);
  });

  test.each([
    { what: 'reason', change: { reason: 'Better' } },
    { what: 'message', change: { message: 'two are well' } },
    { what: 'observedGeneration', change: { observedGeneration: 2 } },
  ])('keeps the transition time when only the $what changes', ({ change }) => {
    expect(setCondition([other, ready], { ...found, ...change }, NOW)).toEqual([other, { ...ready, ...change }]);
  });

  test('omits an undefined observedGeneration', () => {
    const { observedGeneration: __, ...without } = ready;
    expect(setCondition([ready], { ...found, observedGeneration: undefined }, NOW)).toStrictEqual([without]);
  });

  test('returns the same list when nothing has changed', () => {
    const given = [ready, other];
    expect(setCondition(given, found, NOW)).toBe(given);
  });

  test('checks the types and reasons of a narrower condition type', () => {
    type Own = Condition & { readonly type: 'Ready' | 'Stalled' };
    const given: readonly Own[] = [];
    // @ts-expect-error: this type does not exist
    expect(setCondition(given, { ...found, type: 'Redy' }, NOW)).toHaveLength(1);
    // @ts-expect-error: this type does not exist
    expect(setCondition(given, [{ ...found, type: 'Redy' }], NOW)).toHaveLength(1);
    expect(setCondition(given, { ...found, type: 'Ready' }, NOW)).toHaveLength(1);
  });
});

test('getCondition finds by type, isConditionTrue tests for True', () => {
  expect(getCondition([other, ready], 'Ready')).toBe(ready);
  expect([getCondition([other], 'Ready'), getCondition(undefined, 'Ready')]).toEqual([undefined, undefined]);
  const truths = [[ready], [{ ...ready, status: 'False' }], [{ ...ready, status: 'Unknown' }], [other], undefined];
  expect(truths.map((conditions) => isConditionTrue(conditions, 'Ready'))).toEqual([true, false, false, false, false]);
});

test('removeCondition removes a condition, or returns the same list', () => {
  const given = [other, ready];
  expect(removeCondition(given, 'Ready')).toEqual([other]);
  expect(removeCondition(given, 'Nothing')).toBe(given);
  expect(removeCondition(undefined, 'Ready')).toEqual([]);
});

test('an error becomes a condition with its causes and the generation of the object', () => {
  const error = new Error('apply Deployment', { cause: new Error('', { cause: 'storage is full' }) });
  expect(errorCondition(widget({ generation: 3 }), error)).toEqual({
    type: 'Ready',
    status: 'False',
    reason: 'ReconcileFailed',
    message: 'apply Deployment: Error: storage is full',
    observedGeneration: 3,
  });
  expect(errorCondition(widget(), new Error('a'.repeat(2000))).message).toHaveLength(1024);
});
