import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DstNote, describeDstNote, type Schedule } from './index.ts';
import { formatInZone, parseValidSchedule } from './testing/valid-schedule.ts';

const BERLIN = 'Europe/Berlin';
const LORD_HOWE = 'Australia/Lord_Howe'; // its clock moves by half an hour
const SANTIAGO = 'America/Santiago'; // its clock changes at midnight

interface NotesInput {
  readonly schedule: string;
  readonly timeZone: string;
  readonly from?: string;
  readonly months?: number;
}

function findNotes({ schedule, timeZone, from = '2026-01-01T00:00:00Z', months = 12 }: NotesInput): readonly DstNote[] {
  return parseValidSchedule(schedule, timeZone).dstNotes(new Date(from), { months });
}

test('has the change, the clock before and after, and the runs', () => {
  expect(findNotes({ schedule: '0,30 2 * * *', timeZone: BERLIN })).toEqual([
    {
      kind: 'skipped',
      at: new Date('2026-03-29T01:00:00Z'),
      clockBefore: '2026-03-29T02:00',
      clockAfter: '2026-03-29T03:00',
      runs: ['2026-03-29T02:00', '2026-03-29T02:30'],
    },
    {
      kind: 'doubled',
      at: new Date('2026-10-25T01:00:00Z'),
      clockBefore: '2026-10-25T03:00',
      clockAfter: '2026-10-25T02:00',
      runs: ['2026-10-25T02:00', '2026-10-25T02:30'],
    },
  ]);
});

describe('in words', () => {
  const FORTH = 'the clock goes from 02:00 to 03:00';
  const BACK = 'the clock goes back from 03:00 to 02:00';
  test.each<[string, string, readonly string[]]>([
    ['30 2 * * *', BERLIN, [`2026-03-29 02:30 is skipped: ${FORTH}`, `2026-10-25 02:30 runs twice: ${BACK}`]],
    ['*/20 2 * 3 *', BERLIN, [`2026-03-29 02:00, 02:20 and 02:40 are skipped: ${FORTH}`]],
    ['* 2 * 3 *', BERLIN, [`2026-03-29 02:00 to 02:59 (60 runs) are skipped: ${FORTH}`]],
    ['* 2 * 10 *', BERLIN, [`2026-10-25 02:00 to 02:59 (60 runs) run twice: ${BACK}`]],
    ['0 2 * * 0', 'America/New_York', [`2026-03-08 02:00 is skipped: ${FORTH}`]],
    ['0 23 * 4 *', SANTIAGO, ['2026-04-04 23:00 runs twice: the clock goes back from 2026-04-05 00:00 to 23:00']],
    ['0 0 * 9 *', SANTIAGO, ['2026-09-06 00:00 is skipped: the clock goes from 00:00 to 01:00']],
    ['0 2 * * *', LORD_HOWE, ['2026-10-04 02:00 is skipped: the clock goes from 02:00 to 02:30']],
    ['30 2 * * 1-6', BERLIN, []],
    ['0 3 * * *', BERLIN, []],
    ['30 2 * * *', 'UTC', []],
  ])('%s in %s: %j', (schedule, timeZone, words) => {
    expect(findNotes({ schedule, timeZone }).map(describeDstNote)).toEqual(words);
  });

  test('of a skipped day', () => {
    const notes = findNotes({
      schedule: '0 6 30 12 *',
      timeZone: 'Pacific/Apia',
      from: '2011-12-01T00:00:00Z',
      months: 2,
    });
    expect(notes.map(describeDstNote)).toEqual([
      '2011-12-30 06:00 is skipped: the clock goes from 00:00 to 2011-12-31 00:00',
    ]);
  });
});

describe('has no note if the rhythm continues', () => {
  test.each([
    ['*/5 * * * *', BERLIN],
    ['0 * * * *', BERLIN],
    ['17,44 * * * 0', BERLIN],
    ['*/30 * * * *', LORD_HOWE],
  ])('%s in %s', (schedule, timeZone) => {
    expect(findNotes({ schedule, timeZone })).toEqual([]);
  });

  test('has a note for an hourly run if the clock moves by half an hour', () => {
    expect(findNotes({ schedule: '0 * * * *', timeZone: LORD_HOWE })).toMatchObject([
      { kind: 'skipped', runs: ['2026-10-04T02:00'] },
    ]);
  });
});

test.each([
  ['2026-03-29T00:59:59Z', 7, ['skipped', 'doubled']],
  ['2026-03-29T01:00:00Z', 7, ['doubled']],
  ['2026-01-01T00:00:00Z', 2, []],
  ['2026-01-01T00:00:00Z', 24, ['skipped', 'doubled', 'skipped', 'doubled']],
])('searches from %s for %d months: %j', (from, months, kinds) => {
  const notes = findNotes({ schedule: '30 2 * * *', timeZone: BERLIN, from, months });
  expect(notes.map(({ kind }) => kind)).toEqual(kinds);
});

test('agrees with the instants of the schedule', () => {
  const minute = fc.integer({ min: 0, max: 59 });
  const hours = fc.constantFrom('0', '1', '2', '3', '23', '0-3', '22-23', '1,2');
  const zone = fc.constantFrom(BERLIN, LORD_HOWE, SANTIAGO, 'America/New_York', 'Africa/Casablanca', 'Asia/Beirut');
  fc.assert(
    fc.property(minute, hours, zone, fc.integer({ min: 2012, max: 2034 }), (at, during, timeZone, year) => {
      const text = `${at} ${during} * * *`;
      for (const { kind, at: change, runs } of findNotes({
        schedule: text,
        timeZone,
        from: `${year}-01-01T00:00:00Z`,
      })) {
        const times = localTimesAround(change, parseValidSchedule(text, timeZone), timeZone);
        for (const run of runs) expect(times.filter((time) => time === run)).toHaveLength(kind === 'skipped' ? 0 : 2);
      }
    }),
    { numRuns: 200 },
  );
});

/** Local times of the runs within a day of `change`. */
function localTimesAround(change: Date, schedule: Schedule, timeZone: string): readonly string[] {
  const [start, end] = [-1, 1].map((days) => new Date(change.getTime() + days * 86_400_000));
  return schedule.between(start!, end!).map((slot) => formatInZone(slot, timeZone).slice(0, 16));
}
