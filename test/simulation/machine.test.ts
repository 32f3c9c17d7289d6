import { FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { Machine } from './machine.ts';

function scene() {
  const world = new FakeClock('2026-03-01T00:00:00Z');
  const machine = new Machine(world, () => {});
  const calls: string[] = [];
  const note = (event: string) => () => calls.push(`${event} at ${machine.now().toISOString().slice(11, 19)}`);
  return { world, machine, calls, note };
}

test('a jump of the wall clock does not change the length of a timer', async () => {
  const { world, machine, calls, note } = scene();
  machine.schedule(60_000, note('timer'));
  machine.setOffset(3_600_000);
  await world.advance(59_000);
  expect(calls).toEqual([]);
  await world.advance(1000);
  expect(calls).toEqual(['timer at 01:01:00']);
  expect(world.now()).toEqual(new Date('2026-03-01T00:01:00Z'));
});

test('calls listeners after a jump and after a sleep', async () => {
  const { world, machine, calls, note } = scene();
  const stop = machine.onJump(note('jump'));
  machine.setOffset(60_000);
  machine.setOffset(60_000);
  machine.sleep(10_000, { stopsSteadyClock: true });
  await world.advance(10_000);
  stop();
  machine.setOffset(0);
  expect(calls).toEqual(['jump at 00:01:00', 'jump at 00:01:10']);
});

test('runs due timers and received callbacks when the machine wakes', async () => {
  const { world, machine, calls, note } = scene();
  machine.schedule(5000, note('timer'));
  machine.schedule(15_000, note('later timer'));
  machine.sleep(10_000, { stopsSteadyClock: false });
  world.schedule(7000, () => machine.receive(note('answer')));
  await world.advance(9999);
  expect([calls, machine.isAsleep]).toEqual([[], true]);
  await world.advance(1);
  expect(calls).toEqual(['timer at 00:00:10', 'answer at 00:00:10']);
  await world.advance(5000);
  expect(calls.at(-1)).toBe('later timer at 00:00:15');
});

test('timers continue after a sleep that stops the steady clock', async () => {
  const { world, machine, calls, note } = scene();
  const cancel = machine.schedule(6000, note('cancelled'));
  machine.schedule(5000, note('timer'));
  await world.advance(1000);
  machine.sleep(3_600_000, { stopsSteadyClock: true });
  await world.advance(3_600_000);
  expect([calls, machine.monotonicMs()]).toEqual([[], 1000]);
  await world.advance(4000);
  cancel();
  await world.advance(10_000);
  expect(calls).toEqual(['timer at 01:00:05']);
});
