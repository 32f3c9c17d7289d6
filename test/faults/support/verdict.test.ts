import { expect, test } from 'vitest';
import type { LeaseWrite } from './audit-history.ts';
import { findEarlyTakeOvers } from './verdict.ts';

const write = (resourceVersion: number, holder: string, requestedMs: number): LeaseWrite => ({
  resourceVersion: String(resourceVersion),
  holder,
  durationMs: holder === '' ? 1000 : 3000,
  requestedMs,
});

test('a lease is taken early when its holder wrote it within its duration', () => {
  const writes = [write(9, 'a', 0), write(10, 'a', 2000), write(11, 'b', 4500)];
  expect(findEarlyTakeOvers(writes)).toEqual(['b took the lease of a, which was written 2500 ms before']);
});

test('sorts writes by the order in which they were stored', () => {
  const writes = [write(100, 'b', 5000), write(99, 'a', 4000)];
  expect(findEarlyTakeOvers(writes)).toEqual(['b took the lease of a, which was written 1000 ms before']);
});

test.each([
  ['that its holder renews', [write(1, 'a', 0), write(2, 'a', 100)]],
  ['that has expired', [write(1, 'a', 0), write(2, 'b', 3000)]],
  ['that has expired, by a clock that runs a little fast', [write(1, 'a', 0), write(2, 'b', 2995)]],
  ['that was released', [write(1, 'a', 0), write(2, '', 10), write(3, 'b', 20)]],
  ['without a holder', [write(1, 'a', 0)]],
])('a lease %s is not taken early', (_, writes) => {
  expect(findEarlyTakeOvers(writes)).toEqual([]);
});
