import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { IdleTurns, MAX_IDLE_WAIT_MS, MAX_STALL_MS } from './idle-turns.ts';
import { RequestLane } from './request-lane.ts';

/** A lane of one place, and callers that note when they go on. */
class Scene {
  readonly clock = new FakeClock();
  readonly lane = new RequestLane(1);
  readonly turns = new IdleTurns(this.lane, this.clock);
  /** Who went on, with the milliseconds since the start. */
  readonly wentOn: string[] = [];

  wait(name: string, signal: AbortSignal = new AbortController().signal): void {
    void this.turns.next(signal).then(() => this.wentOn.push(`${name} ${this.clock.monotonicMs()}`));
  }

  /** As {@link press}, while others have their answers: an urgent request ends every 100 ms. */
  pressAndMove(): () => void {
    const end = () => {
      this.turns.urgentEnded();
      this.#cancelMove = this.clock.schedule(100, end);
    };
    end();
    return this.press();
  }

  #cancelMove = () => {};

  /** From now on no urgent request ends. */
  stall(): void {
    this.#cancelMove();
  }

  /** An urgent request waits from now on; the function ends that. */
  press(): () => void {
    const answer = Promise.withResolvers<void>();
    void this.lane.run({}, () => answer.promise);
    void this.lane.run({ priority: 'urgent' }, async () => {});
    return answer.resolve;
  }
}

test('urgent requests that move on hold nobody for more than five seconds from when it began to wait', async () => {
  const scene = new Scene();
  scene.pressAndMove();
  for (const name of ['a', 'b', 'c']) scene.wait(name);
  await scene.clock.advance(2_000);
  scene.wait('late');
  await scene.clock.advance(MAX_IDLE_WAIT_MS - 2_001);
  expect(scene.wentOn).toEqual([]);
  await scene.clock.advance(1);
  await scene.clock.advance(0); // each takes a turn of the event loop
  expect(scene.wentOn).toEqual(['a 5000', 'b 5000', 'c 5000']);
  await scene.clock.advance(2_000);
  expect(scene.wentOn.slice(3)).toEqual(['late 7000']);
  scene.stall();
  expect(scene.clock.pendingTimers).toBe(0);
});

test('urgent requests that wait behind calls that hang hold nobody for longer than it takes to see that', async () => {
  const scene = new Scene();
  scene.pressAndMove();
  for (const name of ['a', 'b']) scene.wait(name);
  await scene.clock.advance(1_000);
  scene.stall();
  await scene.clock.advance(MAX_STALL_MS - 1);
  expect(scene.wentOn).toEqual([]);
  await scene.clock.advance(1);
  await scene.clock.advance(0);
  expect(scene.wentOn).toEqual(['a 1250', 'b 1250']);
  scene.wait('late');
  await scene.clock.advance(MAX_STALL_MS);
  expect(scene.wentOn.at(-1)).toBe('late 1500');
  expect(scene.clock.pendingTimers).toBe(0);
});

test('thousands that have waited for long enough do not all go on in one turn of the event loop', async () => {
  const scene = new Scene();
  scene.press();
  for (let i = 0; i < 1000; i++) scene.wait(`${i}`);
  await scene.clock.advance(MAX_IDLE_WAIT_MS);
  const before = scene.wentOn.length;
  for (let turn = 1; turn <= 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(scene.wentOn.length).toBeLessThanOrEqual(before + turn);
  }
  expect(scene.wentOn.length).toBeLessThan(1000);
});

test('goes on as soon as nothing urgent waits any more', async () => {
  const scene = new Scene();
  const release = scene.pressAndMove();
  scene.wait('a');
  await scene.clock.advance(1_000);
  expect(scene.wentOn).toEqual([]);
  release();
  await scene.clock.advance(0);
  expect(scene.wentOn).toEqual(['a 1000']);
  scene.stall();
  expect(scene.clock.pendingTimers).toBe(0);
});

test('a caller whose signal aborts goes on at once, and holds up none behind it', async () => {
  const scene = new Scene();
  scene.pressAndMove();
  const stop = new AbortController();
  scene.wait('stopped', stop.signal);
  await scene.clock.advance(1_000);
  scene.wait('other');
  stop.abort();
  scene.wait('too late', stop.signal);
  await scene.clock.advance(0);
  expect(scene.wentOn).toEqual(['stopped 1000', 'too late 1000']);
  await scene.clock.advance(60_000);
  expect(scene.wentOn.at(-1)).toBe('other 6000');
});

test('leaves no timer and no listener when all who waited were stopped', async () => {
  const scene = new Scene();
  scene.press();
  const stop = new AbortController();
  for (const name of ['a', 'b']) scene.wait(name, stop.signal);
  await scene.clock.advance(0);
  stop.abort();
  await scene.clock.advance(0);
  expect(scene.clock.pendingTimers).toBe(0);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});
