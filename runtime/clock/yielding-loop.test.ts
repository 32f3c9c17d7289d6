import { describe, expect, test } from 'vitest';
import { tickingClock } from '../test-support/ticking-clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { forEachYielding, MAX_TURN_MS, yieldToEventLoop } from './yielding-loop.ts';

const numbers = Array.from({ length: 4 * MAX_TURN_MS }, (_, index) => index);

describe('work on many items', () => {
  test('gives way when it has taken long, and goes on in order', async () => {
    const done: number[] = [];
    const seen: number[] = [];
    const working = forEachYielding(tickingClock(), numbers, (item) => void done.push(item));
    while (done.length < numbers.length) {
      seen.push(done.length);
      await yieldToEventLoop();
    }
    await working;
    expect(done).toEqual(numbers);
    expect(seen.length).toBeGreaterThan(2);
    expect(Math.max(...seen.map((count, index) => count - (seen[index - 1] ?? 0)))).toBe(MAX_TURN_MS);
  });

  test('is done at once when it takes no time', () => {
    const done: number[] = [];
    void forEachYielding(new FakeClock(), numbers, (item) => void done.push(item));
    expect(done).toEqual(numbers);
  });

  test('ends with its first failure', async () => {
    const done: number[] = [];
    const fail = (item: number) => {
      if (item === 12) throw new Error('not this one');
      done.push(item);
    };
    await expect(forEachYielding(tickingClock(), numbers, fail)).rejects.toThrow('not this one');
    expect(done).toEqual(numbers.slice(0, 12));
  });
});
