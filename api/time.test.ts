import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from 'controller-runtime/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLatest, formatTime, isAfter, parseTime } from './time.ts';

test.each([
  ['2026-01-01T01:00:00Z', '2026-01-01T01:00:00.000Z'],
  ['2026-01-01T01:00:00.25+02:00', '2025-12-31T23:00:00.250Z'],
  ['2026-01-01T01:00:00', undefined],
  ['job 12', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
  ['0000-01-01T00:00:00+01:00', undefined],
  ['2026-02-30T25:00:00Z', undefined],
  ['2026-02-30T00:00:00Z', undefined],
  ['2026-02-32T00:00:00Z', undefined],
  ['2026-02-28T24:00:00Z', undefined],
  ['2026-12-31T23:00:00-01:00', '2027-01-01T00:00:00.000Z'],
])('the time %s is %s', (text, want) => {
  expect(parseTime(text)?.toISOString()).toBe(want);
});

test('times are read and written as ever after thousands of others', () => {
  const times = Array.from({ length: 4500 }, (_, index) => new Date(index * 1000));
  const texts = times.map(formatTime);
  expect(times.map((time) => formatTime(new Date(time.getTime() + 999)))).toEqual(texts);
  expect(texts).toEqual(times.map((time) => time.toISOString().replace('.000Z', 'Z')));
  expect(texts.map((text) => parseTime(text)?.getTime())).toEqual(texts.map((_, index) => index * 1000));
  expect(parseTime(texts[0])).not.toBe(parseTime(texts[0]));
});

test('a time with very many digits is read, and not kept', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const usedBytes = () => {
    collect();
    return process.memoryUsage().heapUsed + process.memoryUsage().external;
  };
  const before = usedBytes();
  for (let index = 0; index < 200; index++) {
    const text = Buffer.from(`2026-01-01T01:00:00.${'0'.repeat(250_000)}${index}Z`).toString();
    expect(parseTime(text)?.getTime()).toBe(Date.UTC(2026, 0, 1, 1));
  }
  await eventually(() => expect(usedBytes() - before).toBeLessThan(10_000_000));
});

test('latest ignores absent instants', () => {
  const [early, late] = [new Date(1000), new Date(2000)];
  expect(findLatest(undefined, late, early, undefined)).toBe(late);
  expect(findLatest(undefined)).toBeUndefined();
  expect(parseTime(undefined)).toBeUndefined();
});

test('an instant of a year of four digits is written as JSON has it, without its fraction', () => {
  const [min, max] = [new Date('0000-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')];
  fc.assert(
    fc.property(fc.date({ min, max, noInvalidDate: true }), (time) => {
      expect(formatTime(time)).toBe(time.toJSON().replace(/\.\d+Z$/, 'Z'));
    }),
  );
});

test('an instant is not after itself', () => {
  const [early, late] = [new Date(1000), new Date(2000)];
  expect([isAfter(late, early), isAfter(early, late), isAfter(late, new Date(late))]).toEqual([true, false, false]);
});
