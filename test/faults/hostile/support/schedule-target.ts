/** Expressions that are nearly right, and zones: each is read or refused, and what is read is searched from any instant. */
import fc from 'fast-check';
import { MAX_EXPRESSION_LENGTH, parseSchedule, type Schedule, TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import { withinCpu } from './cpu.ts';
import type { Target } from './target.ts';

/** Of one parse, of one search. */
const MAX_CALL_MS = 50;
const MAX_MESSAGE = 700;

interface Input {
  readonly text: string;
  readonly timeZone: string;
  readonly instantMs: number;
  readonly anchorMs: number;
}

const GOOD = [
  '* * * * *',
  '*/15 0-5,22 1,15 JAN-MAR mon-fri',
  '0 0 29 2 *',
  '0 0 31 2 *',
  '59 23 31 12 6',
  '0 0 13 * FRI',
  '?/2 ? ? ? ?',
  '@hourly',
  '@yearly',
  '@every 1h30m5.5s',
  '@every 1s',
  'TZ=Europe/Berlin 0 3 * * *',
  'CRON_TZ=UTC 0 3 * * *',
] as const;

const PIECES = [
  ...[
    '*',
    '?',
    '/',
    '-',
    ',',
    ' ',
    '\t',
    '\n',
    '@',
    '.',
    '+',
    '=',
    '0',
    '7',
    '59',
    '60',
    '-1',
    '1e3',
    '0x1f',
    '#',
    'L',
  ],
  ...['W', 'H', 'sun', 'JAN', '@every ', '@reboot', 'TZ=', 'CRON_TZ=', '1h', '1us', '1µs', '1μs', '9223372036s', 'ns'],
  ...['\u0000', '\u00a0', '\u2003', '\u0661', '\uff15', '\u202e', '\ud800', '\u{1f600}', '\u0130', 'ſun'],
  ...['99999999999999999999', '00000000000000000000005', `${'9'.repeat(400)}`, '1-59/1,'.repeat(100)],
] as const;

/** A change of a text at a place: so many characters go, and a piece comes. */
interface Splice {
  readonly at: number;
  readonly gone: number;
  readonly piece: string;
  readonly times: number;
}

const splice: fc.Arbitrary<Splice> = fc.record({
  at: fc.nat(60),
  gone: fc.nat(3),
  piece: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...PIECES, '') },
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.integer({ min: -1, max: 400 }).map(String),
    fc.constantFrom('-5', '/5', ',5', '-', '/', ',', ' *', ' '),
  ),
  times: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.nat(5)),
});

const changed = fc
  .tuple(fc.constantFrom(...GOOD), fc.array(splice, { maxLength: 4 }))
  .map(([text, splices]) => splices.reduce(spliced, text as string));

const field = fc
  .tuple(fc.constantFrom('*', '0', '5', '1-5', '10-2', 'MON', '*/7', '3/4', '1,2,31', '*,5', '?'), fc.nat(70))
  .map(([shape, number]) => shape.replace(/5|7/, String(number)));
const ofFields = fc.array(field, { minLength: 4, maxLength: 6 }).map((fields) => fields.join(' '));

const every = fc
  .array(fc.tuple(fc.oneof(fc.double(), fc.nat()), fc.constantFrom('ns', 'us', 'µs', 'ms', 's', 'm', 'h', '', 'd')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => `@every ${parts.map(([number, unit]) => `${number}${unit}`).join('')}`);

const expression = fc.oneof(
  { weight: 6, arbitrary: changed },
  { weight: 3, arbitrary: ofFields },
  { weight: 2, arbitrary: every },
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join('')),
);

const zone = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia', 'Australia/Lord_Howe') },
  fc.constantFrom(...TIME_ZONE_NAMES),
  fc.constantFrom('', 'Local', 'europe/berlin', '+01:00', '__proto__', 'constructor', '../etc', '\u0000', '\ud800'),
);

/** From year 0 to 9999, mostly of today. */
const instantMs = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) }) },
  fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_000 }),
);

export const scheduleTarget: Target<Input> = {
  name: 'schedules',
  inputs: fc.record({ text: expression, timeZone: zone, instantMs, anchorMs: instantMs }),
  check: checkSchedule,
};

function spliced(text: string, { at, gone, piece, times }: Splice): string {
  const start = at % (text.length + 1);
  return text.slice(0, start) + piece.repeat(times) + text.slice(start + gone);
}

function checkSchedule({ text, timeZone, instantMs: ms, anchorMs }: Input): void {
  const parsed = withinCpu(MAX_CALL_MS, () => parseSchedule(text, { timeZone, anchor: new Date(anchorMs) }));
  if (parsed.kind === 'invalid') checkMessage(parsed.message);
  else if (text.length > MAX_EXPRESSION_LENGTH) throw new Error('read a text that is too long');
  else checkInstants(parsed.schedule, new Date(ms));
}

function checkMessage(message: string): void {
  if (!/^".*": ./su.test(message)) throw new Error(`no value and no fix in: ${message}`);
  if (message.length > MAX_MESSAGE) throw new Error(`a message of ${message.length} characters`);
}

function checkInstants(schedule: Schedule, from: Date): void {
  const next = withinCpu(MAX_CALL_MS, () => schedule.next(from));
  const previous = withinCpu(MAX_CALL_MS, () => schedule.previous(from));
  if (next !== undefined && !(next > from)) throw new Error(`next of ${from.toISOString()} is ${String(next)}`);
  if (previous !== undefined && !(previous <= from)) throw new Error(`previous is ${String(previous)}`);
  for (const slot of [next, previous]) {
    if (slot !== undefined && slot.getTime() % 1000 !== 0) throw new Error('a slot with a fraction of a second');
  }
  // What is next is found again from there, unless it is where instants end.
  if (next === undefined || next.getUTCFullYear() > 9990) return;
  const again = withinCpu(MAX_CALL_MS, () => schedule.previous(next));
  if (again?.getTime() !== next.getTime()) throw new Error(`previous of ${next.toISOString()} is ${String(again)}`);
}
