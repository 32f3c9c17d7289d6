import { describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { WakeUps } from './wake-ups.ts';

const HOUR_MS = 3_600_000;

class WakeUpsHarness {
  readonly clock = new FakeClock('2026-01-01T00:00:00Z');
  /** Which key woke when: seconds on the steady clock. */
  readonly woken: string[] = [];
  readonly wakeUps = new WakeUps(this.clock, (key) => this.woken.push(`${key} ${this.clock.monotonicMs() / 1000}`));
}

describe('a wake-up', () => {
  test('may set its key again while it fires', async () => {
    const clock = new FakeClock();
    let times = 0;
    const wakeUps = new WakeUps(clock, (key) => {
      times++;
      wakeUps.set(key, 10_000);
    });
    wakeUps.set('a', 10_000);
    await clock.advance(60_000);
    expect([times, wakeUps.size]).toEqual([6, 1]);
  });
});

describe('when the wall clock jumps', () => {
  test('the key of a passed wake-up is queued within half a minute', async () => {
    const { clock, wakeUps, woken } = new WakeUpsHarness();
    wakeUps.set('due', HOUR_MS);
    wakeUps.set('not due', 3 * HOUR_MS);
    await clock.advance(10_000);
    clock.jumpTo('2026-01-01T02:00:00Z');
    await clock.advance(30_000);
    expect(woken).toEqual(['due 30']);
    expect(wakeUps.size).toBe(1);
  });

  test('forward but not past the instant, the key wakes when the wall clock reaches it', async () => {
    const { clock, wakeUps, woken } = new WakeUpsHarness();
    wakeUps.set('a', HOUR_MS);
    wakeUps.set('b', 2 * HOUR_MS);
    clock.jumpTo('2026-01-01T00:00:20Z');
    await clock.advance(40_000);
    clock.jumpTo('2026-01-01T00:01:17Z');
    await clock.advance(2 * HOUR_MS);
    expect(woken).toEqual(['a 3563', 'b 7163']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('forward repeatedly, every jump is detected', async () => {
    const { clock, wakeUps, woken } = new WakeUpsHarness();
    for (const [index, key] of ['a', 'b', 'c'].entries()) wakeUps.set(key, (index + 1) * HOUR_MS);
    for (const wall of ['01', '02', '03']) {
      clock.jumpTo(`2026-01-01T${wall}:00:00Z`);
      await clock.advance(30_000);
    }
    expect(woken).toEqual(['a 30', 'b 60', 'c 90']);
  });

  test('forward, a key that is set afterwards waits for its full time', async () => {
    const { clock, wakeUps, woken } = new WakeUpsHarness();
    wakeUps.set('a', HOUR_MS);
    clock.jumpTo('2026-01-01T02:00:00Z');
    wakeUps.set('a', HOUR_MS);
    await clock.advance(HOUR_MS);
    expect(woken).toEqual(['a 3600']);
  });

  test('backward, the key still wakes after its delay', async () => {
    const { clock, wakeUps, woken } = new WakeUpsHarness();
    wakeUps.set('a', HOUR_MS);
    clock.jumpTo('2025-12-31T12:00:00Z');
    await clock.advance(HOUR_MS);
    expect(woken).toEqual(['a 3600']);
  });
});
