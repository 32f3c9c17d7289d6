/** The README's comparison with other libraries, row by row, with the answers of the installed versions. */
import { readFileSync } from 'node:fs';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { expect, test } from 'vitest';
import { FIGURES, formatHeading } from '../test/bench/schedule-figures.ts';
import { parseScheduleOrThrow } from './index.ts';
import { formatInZone } from './testing/valid-schedule.ts';

/** Rows of its tables, without the white space for alignment. */
const ROWS = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  .replaceAll(/ +/g, ' ')
  .split('\n');

interface ScheduleInput {
  readonly text: string;
  readonly timeZone: string;
  readonly from: Date;
}

test('the README has the table of npm run bench:schedule', () => {
  const first = ROWS.indexOf(formatHeading().replaceAll(/ +/g, ' '));
  const labels = ROWS.slice(first + 2).map((row) => row.split(' | ')[0]?.replace('| ', ''));
  expect(labels.slice(0, Object.keys(FIGURES).length)).toEqual(Object.values(FIGURES));
});

test.each<[text: string, timeZone: string, from: string]>([
  ['30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z'],
  ['30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z'],
  ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z'],
  ['0 0 * * *', 'Africa/Cairo', '2026-04-23T12:00:00Z'],
  ['0 0 */1 * 1', 'UTC', '2026-01-01T00:00:00Z'],
  ['0 0 13 * */1', 'UTC', '2026-01-01T00:00:00Z'],
  ['0 0 31 2 *', 'UTC', '2026-01-01T00:00:00Z'],
  ['@every 90m', 'UTC', '2026-01-01T00:00:00Z'],
  ['@midnight', 'UTC', '2026-01-01T00:00:00Z'],
  ['1,,2 * * * *', 'UTC', '2026-01-01T00:00:00Z'],
  ['0 0 * * 7', 'UTC', '2026-01-01T00:00:00Z'],
  ['* * * * * *', 'UTC', '2026-01-01T00:00:00Z'],
  ['0 0 L * *', 'UTC', '2026-01-01T00:00:00Z'],
])('the README shows the next runs of %s in %s from %s', (text, timeZone, from) => {
  const question = { text, timeZone, from: new Date(from) };
  const cells = [here, cronParser, croner].map((next) => formatAnswer(next, question));
  expect(ROWS).toContain(`| \`${text}\` ${timeZone}, ${from.slice(0, 16)}Z | ${cells.join(' | ')} |`);
});

/** The first two instants; throws when the library rejects the text. */
type Next = (question: ScheduleInput) => readonly Date[];

const here: Next = ({ text, timeZone, from }) => {
  return parseScheduleOrThrow(text, { timeZone }).take(2, from);
};

const cronParser: Next = ({ text, timeZone, from }) =>
  CronExpressionParser.parse(text, { tz: timeZone, currentDate: from })
    .take(2)
    .map((date) => date.toDate());

const croner: Next = ({ text, timeZone, from }) =>
  new Cron(text, { timezone: timeZone, paused: true }).nextRuns(2, from);

function formatAnswer(next: Next, question: ScheduleInput): string {
  try {
    const texts = next(question).map((instant) => shortly(instant, question.timeZone));
    return texts.length === 0 ? 'never' : texts.join(', ');
  } catch {
    return 'refused';
  }
}

/** `03-09 02:30` in local time of the zone; with seconds if there are any. */
function shortly(instant: Date, timeZone: string): string {
  const [, day, minute, seconds] = /-(\d\d-\d\d)T(\d\d:\d\d)(:\d\d)/.exec(formatInZone(instant, timeZone)) ?? [];
  return `${day} ${minute}${seconds === ':00' ? '' : seconds}`;
}
