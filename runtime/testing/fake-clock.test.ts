import { expect, test } from 'vitest';
import { FakeClock } from './fake-clock.ts';

const START = '2026-01-01T00:00:00Z';

/** A clock and the record of its callbacks: their name and the time of day. */
function scene() {
  const clock = new FakeClock(START);
  const seen: string[] = [];
  const note = (name: string) => () => void seen.push(`${name} ${clock.now().toISOString().slice(14, 19)}`);
  return { clock, seen, note };
}

test('stands still until it is moved, then moves both clocks', async () => {
  const clock = new FakeClock(START);
  expect([clock.now(), clock.monotonicMs()]).toEqual([new Date(START), 0]);
  await clock.advance(90_000);
  expect([clock.now(), clock.monotonicMs()]).toEqual([new Date('2026-01-01T00:01:30Z'), 90_000]);
});

test('runs what falls due in order, each at its own instant', async () => {
  const { clock, seen, note } = scene();
  clock.schedule(3000, note('c'));
  clock.schedule(1000, note('a'));
  clock.schedule(2000, note('b'));
  clock.schedule(9000, note('late'));
  await clock.advance(5000);
  expect(seen).toEqual(['a 00:01', 'b 00:02', 'c 00:03']);
  expect(clock.pendingTimers).toBe(1);
});

test('runs what falls due at the same instant in the order it was scheduled', async () => {
  const { clock, seen, note } = scene();
  for (const name of ['a', 'b', 'c']) clock.schedule(1000, note(name));
  await clock.advance(1000);
  expect(seen).toEqual(['a 00:01', 'b 00:01', 'c 00:01']);
});

test.each([0, -5])('runs a delay of %i ms when it is moved next, and not before', async (delayMs) => {
  const { clock, seen, note } = scene();
  clock.schedule(delayMs, note('now'));
  expect(seen).toEqual([]);
  await clock.advance(0);
  expect(seen).toEqual(['now 00:00']);
});

test('does not run what was cancelled', async () => {
  const { clock, seen, note } = scene();
  const cancel = clock.schedule(1000, note('cancelled'));
  cancel();
  cancel();
  await clock.advance(2000);
  expect(seen).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test('jumps without time passing: callbacks come as they would have', async () => {
  const { clock, seen, note } = scene();
  clock.schedule(2000, note('a'));
  clock.jumpTo('2026-01-01T00:30:00Z');
  await clock.advance(1000);
  expect([seen, clock.monotonicMs()]).toEqual([[], 1000]);
  await clock.advance(1000);
  expect(seen).toEqual(['a 30:02']);
});
