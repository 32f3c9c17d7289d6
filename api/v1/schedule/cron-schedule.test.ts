import { CronExpressionParser } from 'cron-parser';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseCronFields } from './cron-fields.ts';
import { CronSchedule } from './cron-schedule.ts';
import { type ZoneOffsets, zoneOffsets } from './zone-offsets.ts';

afterEach(() => vi.restoreAllMocks());

/** A zone that counts how often it is asked. */
class CountingZone implements ZoneOffsets {
  asked = 0;
  readonly #zone: ZoneOffsets;

  constructor(timeZone: string) {
    this.#zone = zoneOffsets(timeZone);
  }

  stretchAt(instantMs: number) {
    this.asked++;
    return this.#zone.stretchAt(instantMs);
  }
}

function scheduleIn(zone: ZoneOffsets, text: string): CronSchedule {
  const parsed = parseCronFields(text);
  if (parsed.kind === 'invalid') throw new Error(parsed.message);
  return new CronSchedule(parsed.fields, zone);
}

describe('work is bounded', () => {
  test('a search that finds nothing asks for each stretch of its years once', () => {
    const zone = new CountingZone('America/New_York');
    const never = scheduleIn(zone, '0 0 31 2 *');
    expect(never.next(new Date('2026-01-01T00:00:00Z'))).toBeUndefined();
    expect(zone.asked).toBeLessThanOrEqual(7 * 3);
    zone.asked = 0;
    expect(never.previous(new Date('2026-01-01T00:00:00Z'))).toBeUndefined();
    expect(zone.asked).toBeLessThanOrEqual(7 * 3);
  });

  test('a slot that is near costs one look at the zone', () => {
    const zone = new CountingZone('America/New_York');
    scheduleIn(zone, '* * * * *').next(new Date('2026-01-01T00:00:00Z'));
    expect(zone.asked).toBe(1);
  });

  test('the longest text with the most ranges is read in one call for each range', () => {
    const parse = vi.spyOn(CronExpressionParser, 'parse');
    const ranges = Array.from({ length: 59 * 4 }, (_, index) => `${index % 59}-59/${1 + Math.floor(index / 59)}`);
    const text = `${ranges
      .join(',')
      .slice(0, 1010)
      .replace(/,[^,]*$/, '')} * * * *`;
    expect(text.length).toBeLessThanOrEqual(1024);
    expect(parseCronFields(text).kind).toBe('ok');
    expect(parse.mock.calls.length).toBeLessThanOrEqual(text.split(',').length);
  });

  test('single values and an ordinary expression are read in one call', () => {
    const parse = vi.spyOn(CronExpressionParser, 'parse');
    parseCronFields('5,1,1,30 6 1,15 JAN,FEB 1-5');
    expect(parse).toHaveBeenCalledTimes(1);
  });

  test('a text that is refused never reaches cron-parser', () => {
    const parse = vi.spyOn(CronExpressionParser, 'parse');
    for (const text of ['L * * * *', '* * * * 5#3', 'H H * * *', '* * 15W * *', '60 * * * *']) parseCronFields(text);
    expect(parse).not.toHaveBeenCalled();
  });
});

test('offsets are found to the second, and hold until the next change', () => {
  const newYork = zoneOffsets('America/New_York');
  const before = newYork.stretchAt(Date.parse('2026-03-08T06:59:59Z'));
  expect(new Date(before.endMs).toISOString()).toBe('2026-03-08T07:00:00.000Z');
  const after = newYork.stretchAt(before.endMs);
  expect([before.offsetMs, after.offsetMs]).toEqual([-5 * 3_600_000, -4 * 3_600_000]);
  expect(new Date(after.endMs).toISOString()).toBe('2026-11-01T06:00:00.000Z');
});

test('local mean times of the past have seconds', () => {
  const { offsetMs } = zoneOffsets('Africa/Monrovia').stretchAt(Date.parse('1966-01-01T00:00:00Z'));
  expect(offsetMs).toBe(-(44 * 60 + 30) * 1000);
});

test('a zone that Intl does not know is an error', () => {
  expect(() => zoneOffsets('Mars/Olympus')).toThrow(RangeError);
});
