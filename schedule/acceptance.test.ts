/** Which texts and zones are accepted, compared with robfig/cron in Go and the checks of the API server. */
import { describe, expect, test } from 'vitest';
import { parseGoDuration } from './go-duration.ts';
import { parseSchedule, TIME_ZONE_NAMES } from './index.ts';
import { formatProblems } from './testing/format-problems.ts';
import { type AcceptanceRow, readAcceptanceRows, readGoldenHeader, readGoldenOffsets } from './testing/golden.ts';
import { isKnownToIntl } from './testing/zone-data.ts';

const { cron, go } = readGoldenHeader();

/**
 * Texts that Kubernetes accepts and this package rejects; the reverse does not occur. README.md lists them for users.
 */
const REFUSED_HERE: readonly (readonly [reason: string, applies: (row: AcceptanceRow) => boolean])[] = [
  ['@every under one second: robfig runs it every second, even when it is negative', isUnderOneSecond],
  ['text after a star: robfig ignores all of *-foo but the star', ({ text }) => /(?:^|[\s,])[*?]-/.test(text)],
  [
    'nothing but commas: robfig takes an empty field, which never matches',
    ({ text }) => /(?:^|\s),+(?:\s|$)/.test(text),
  ],
  ['İ is not a letter of FRI, though its lower case in Go is i', ({ text }) => text.includes('İ')],
  ['longer than 1024 characters', ({ text }) => text.length > 1024],
];

function isUnderOneSecond({ nanoseconds }: AcceptanceRow): boolean {
  return nanoseconds !== undefined && nanoseconds < 1e9;
}

describe(`accepts the same schedules as Kubernetes (robfig/cron ${cron}, ${go})`, () => {
  const rows = readAcceptanceRows();
  const rejected = rows.filter(({ isAccepted, text }) => isAccepted && parseSchedule(text).kind === 'invalid');

  test('and nothing else', () => {
    const accepted = rows.filter(({ isAccepted, text }) => !isAccepted && parseSchedule(text).kind === 'ok');
    expect(formatProblems(accepted.map(({ text, error }) => `${JSON.stringify(text)}: ${error}`))).toBe('');
  });

  test('except for the listed deviations', () => {
    const unlisted = rejected.filter((row) => !REFUSED_HERE.some(([, applies]) => applies(row)));
    expect(formatProblems(unlisted.map(({ text }) => `${JSON.stringify(text)}: ${messageFor(text)}`))).toBe('');
    const accepted = rows.filter(({ isAccepted }) => isAccepted).length;
    console.info(
      `acceptance: ${rows.length} texts; Kubernetes accepts ${accepted}, this package rejects ${rejected.length} of them`,
    );
  });

  test.each(REFUSED_HERE)('deviation: %s', (_, applies) => {
    const examples = rows.filter((row) => row.isAccepted && applies(row));
    expect(examples.length).toBeGreaterThan(0);
    expect(rejected).toEqual(expect.arrayContaining(examples));
  });

  test('and reads durations as Go does', () => {
    // Except for the shortest duration, which both reject because it is below a second.
    const durations = rows.filter(({ nanoseconds }) => nanoseconds !== undefined && nanoseconds > -(2 ** 63));
    const wrong = durations.filter(({ text, nanoseconds }) => {
      const parsed = parseGoDuration(text.replace('@every ', ''));
      return parsed.kind === 'invalid' || Number(parsed.nanoseconds) !== nanoseconds;
    });
    expect(durations.length).toBeGreaterThan(500);
    expect(wrong).toEqual([]);
  });

  test('and rejects where robfig panics', () => {
    const panics = rows.filter(({ error }) => error.startsWith('panic'));
    expect(panics.length).toBeGreaterThan(0);
    expect(panics.map(({ text }) => parseSchedule(text).kind)).toEqual(panics.map(() => 'invalid'));
  });

  test('and explains each rejection', () => {
    const refusals = rows
      .filter(({ text }) => parseSchedule(text).kind === 'invalid')
      .map(({ text }) => messageFor(text));
    expect(refusals.filter((message) => !/^".*": ./s.test(message))).toEqual([]);
  });
});

describe('time zones', () => {
  test('are the time zones that Go knows', () => {
    expect([...TIME_ZONE_NAMES].sort()).toEqual([...readGoldenOffsets().keys()].sort());
  });

  test('are accepted, except for the one that Intl does not have', () => {
    const rejected = TIME_ZONE_NAMES.filter((timeZone) => parseSchedule('0 0 * * *', { timeZone }).kind === 'invalid');
    expect(rejected).toEqual(TIME_ZONE_NAMES.filter((timeZone) => !isKnownToIntl(timeZone)));
    expect(rejected).toEqual(['Factory']);
  });
});

function messageFor(text: string): string {
  const parsed = parseSchedule(text);
  return parsed.kind === 'invalid' ? parsed.message : '';
}
