import { expect, test } from 'vitest';
import { widget } from '../test-support/objects.ts';
import { hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts';

const OURS = 'example.com/ours';
const THEIRS = 'example.com/theirs';

test('an object gets a finalizer beside others, once', () => {
  const held = withFinalizer(widget({ finalizers: [THEIRS] }), OURS);
  expect(held).toEqual(widget({ finalizers: [THEIRS, OURS] }));
  expect(withFinalizer(held, OURS)).toBe(held);
  expect(withFinalizer(widget(), OURS)).toEqual(widget({ finalizers: [OURS] }));
});

test('an object loses a finalizer and keeps the others', () => {
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
