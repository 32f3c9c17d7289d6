import { describe, expect, test } from 'vitest';
import { tickingClock } from '../test-support/ticking-clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { forEachYielding, MAX_BLOCKING_MS, yieldToEventLoop } from './yielding-loop.ts';

const numbers = Array.from({ length: 4 * MAX_BLOCKING_MS }, (_, index) => index);

describe('forEachYielding', () => {
  test('yields after the limit, and continues in order', async () => {
    const done: number[] = [];
    const processed: number[] = [];
    const working = forEachYielding(tickingClock(), numbers, (item) => void done.push(item));
    while (done.length < numbers.length) {
      processed.push(done.length);
      await yieldToEventLoop();
    }
    await working;
    expect(done).toEqual(numbers);
    expect(processed.length).toBeGreaterThan(2);
    expect(Math.max(...processed.map((count, index) => count - (processed[index - 1] ?? 0)))).toBe(MAX_BLOCKING_MS);
  });

  test('finishes in one turn if the work is fast', () => {
    const done: number[] = [];
    void forEachYielding(new FakeClock(), numbers, (item) => void done.push(item));
    expect(done).toEqual(numbers);
  });

  test('rejects with the first error', async () => {
    const done: number[] = [];
    const fail = (item: number) => {
      if (item === 12) throw new Error('not this one');
      done.push(item);
    };
    await expect(forEachYielding(tickingClock(), numbers, fail)).rejects.toThrow('not this one');
    expect(done).toEqual(numbers.slice(0, 12));
  });
});
