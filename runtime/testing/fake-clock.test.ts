import { expect, test } from 'vitest';
import { FakeClock } from './fake-clock.ts';

const START = '2026-01-01T00:00:00Z';

/** A clock and the record of its callbacks: their name and the time of day. */
function scene() {
  const clock = new FakeClock(START);
  const calls: string[] = [];
  const note = (name: string) => () => void calls.push(`${name} ${clock.now().toISOString().slice(14, 19)}`);
  return { clock, calls, note };
}

test('stands still until advance, which moves both clocks', async () => {
  const clock = new FakeClock(START);
  expect([clock.now(), clock.monotonicMs()]).toEqual([new Date(START), 0]);
  await clock.advance(90_000);
  expect([clock.now(), clock.monotonicMs()]).toEqual([new Date('2026-01-01T00:01:30Z'), 90_000]);
});

test('runs callbacks in order, each at its due time', async () => {
  const { clock, calls, note } = scene();
  clock.schedule(3000, note('c'));
  clock.schedule(1000, note('a'));
  clock.schedule(2000, note('b'));
  clock.schedule(9000, note('late'));
  await clock.advance(5000);
  expect(calls).toEqual(['a 00:01', 'b 00:02', 'c 00:03']);
  expect(clock.pendingTimers).toBe(1);
});

test('runs callbacks of the same instant in the order of scheduling', async () => {
  const { clock, calls, note } = scene();
  for (const name of ['a', 'b', 'c']) clock.schedule(1000, note(name));
  await clock.advance(1000);
  expect(calls).toEqual(['a 00:01', 'b 00:01', 'c 00:01']);
});

test.each([0, -5])('runs a delay of %i ms at the next advance, not before', async (delayMs) => {
  const { clock, calls, note } = scene();
  clock.schedule(delayMs, note('now'));
  expect(calls).toEqual([]);
  await clock.advance(0);
  expect(calls).toEqual(['now 00:00']);
});

test('does not run a cancelled callback', async () => {
  const { clock, calls, note } = scene();
  const cancel = clock.schedule(1000, note('cancelled'));
  cancel();
  cancel();
  await clock.advance(2000);
  expect(calls).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test('jumps without passing time: callbacks keep their delays', async () => {
  const { clock, calls, note } = scene();
  clock.schedule(2000, note('a'));
  clock.jumpTo('2026-01-01T00:30:00Z');
  await clock.advance(1000);
  expect([calls, clock.monotonicMs()]).toEqual([[], 1000]);
  await clock.advance(1000);
  expect(calls).toEqual(['a 30:02']);
});
