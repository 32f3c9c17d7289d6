import { expect, test } from 'vitest';
import { widget } from '../test-support/objects.ts';
import { hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts';

const OURS = 'example.com/ours';
const THEIRS = 'example.com/theirs';

test('withFinalizer adds a finalizer once', () => {
  const withBoth = withFinalizer(widget({ finalizers: [THEIRS] }), OURS);
  expect(withBoth).toEqual(widget({ finalizers: [THEIRS, OURS] }));
  expect(withFinalizer(withBoth, OURS)).toBe(withBoth);
  expect(withFinalizer(widget(), OURS)).toEqual(widget({ finalizers: [OURS] }));
});

test('withoutFinalizer removes a finalizer and keeps the others', () => {
  const given = widget({ finalizers: [OURS, THEIRS] });
  expect(withoutFinalizer(given, OURS)).toEqual(widget({ finalizers: [THEIRS] }));
  expect(given.metadata.finalizers).toEqual([OURS, THEIRS]);
  const free = widget({ finalizers: [THEIRS] });
  expect(withoutFinalizer(free, OURS)).toBe(free);
});

test.each([
  { finalizers: [THEIRS, OURS], want: true },
  { finalizers: [THEIRS], want: false },
  { finalizers: undefined, want: false },
])('$finalizers: $want', ({ finalizers, want }) => {
  expect(hasFinalizer({ metadata: { finalizers } }, OURS)).toBe(want);
});
