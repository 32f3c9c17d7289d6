import { CronExpressionParser } from 'cron-parser';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseCronFields } from './cron-fields.ts';
import { loadTimeZone, parseScheduleOrThrow, type Schedule, type TimeZone } from './index.ts';

afterEach(() => vi.restoreAllMocks());

/** A zone that counts its lookups. */
class CountingZone implements TimeZone {
  asked = 0;
  readonly name: string;
  readonly #zone: TimeZone;

  constructor(name: string) {
    this.name = name;
    this.#zone = loadTimeZone(name)!;
  }

  offsetAt(instantMs: number) {
    this.asked++;
    return this.#zone.offsetAt(instantMs);
  }
}

function scheduleIn(zone: TimeZone, text: string): Schedule {
  return parseScheduleOrThrow(text, { timeZone: zone });
}

describe('work is bounded', () => {
  test('a search without a result reads no span between its first and its last', () => {
    const zone = new CountingZone('America/New_York');
    const never = scheduleIn(zone, '0 0 31 2 *');
    expect(never.next(new Date('2026-01-01T00:00:00Z'))).toBeUndefined();
    expect(zone.asked).toBeLessThanOrEqual(4);
    zone.asked = 0;
    expect(never.previous(new Date('2026-01-01T00:00:00Z'))).toBeUndefined();
    expect(zone.asked).toBeLessThanOrEqual(4);
  });

  test('a near instant costs one lookup of the zone', () => {
    const zone = new CountingZone('America/New_York');
    scheduleIn(zone, '* * * * *').next(new Date('2026-01-01T00:00:00Z'));
    expect(zone.asked).toBe(1);
  });

  test('the longest expression costs two parser calls per range', () => {
    const parse = vi.spyOn(CronExpressionParser, 'parse');
    const ranges = Array.from({ length: 59 * 4 }, (_, index) => `${index % 59}-59/${1 + Math.floor(index / 59)}`);
    const text = `${ranges
      .join(',')
      .slice(0, 1010)
      .replace(/,[^,]*$/, '')} * * * *`;
    expect(text.length).toBeLessThanOrEqual(1024);
    expect(parseCronFields(text).kind).toBe('ok');
    expect(parse.mock.calls.length).toBeLessThanOrEqual(1 + 2 * text.split(',').length);
  });

  test('an ordinary expression costs one parser call', () => {
    const parse = vi.spyOn(CronExpressionParser, 'parse');
    parseCronFields('5,1,1,30 6 1,15 JAN,FEB 1-5');
    expect(parse).toHaveBeenCalledTimes(1);
  });

  test('syntax that only cron-parser accepts never reaches it', () => {
    const parse = vi.spyOn(CronExpressionParser, 'parse');
    for (const text of ['L * * * *', '* * * * 5#3', 'H H * * *', '* * 15W * *', '0 0 * jan2 *', '* * * * 7'])
      parseCronFields(text);
    expect(parse).not.toHaveBeenCalled();
  });
});
