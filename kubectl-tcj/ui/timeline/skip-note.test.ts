import { expect, test } from 'vitest';
import type { RunMark, SkipMark } from '../model/timeline-marks.ts';
import { placeSkipNote } from './skip-note.ts';

/** One pixel per millisecond. */
const scale = { toX: (ms: number) => ms, width: 500 };

function skipAt(fromMs: number, untilMs = fromMs, count = 1): SkipMark {
  const skip = { firstTime: new Date(fromMs), lastTime: new Date(untilMs), count, reason: 'Paused' };
  return { skip, timeMs: untilMs, fromMs, untilMs };
}

const runAt = (fromMs: number, untilMs = fromMs) => ({ fromMs, untilMs }) as RunMark; // the fields that are read

interface NoteInput {
  readonly runs?: readonly RunMark[];
  readonly upcoming?: readonly number[];
  readonly nowX?: number;
}

function note(skip: SkipMark, { runs = [], upcoming = [], nowX = 500 }: NoteInput = {}) {
  const placed = placeSkipNote(skip, { marks: { runs, skips: [skip], upcomingMs: upcoming }, scale, nowX });
  return placed && [placed.text, placed.x, placed.anchor];
}

test.each([
  ['places the reason to the right', skipAt(100), {}, ['Paused', 110, 'start']],
  ['places the reason to the left of a near next mark', skipAt(200), { upcoming: [220] }, ['Paused', 190, 'end']],
  ['places the reason to the left of a near line for now', skipAt(200), { nowX: 210 }, ['Paused', 190, 'end']],
  [
    'places the reason over the line for now without space elsewhere',
    skipAt(200),
    { runs: [runAt(180)], nowX: 210 },
    ['Paused', 210, 'start'],
  ],
  [
    'places the count and the reason to the right of the last skip',
    skipAt(100, 200, 7),
    {},
    ['×7 Paused', 210, 'start'],
  ],
  ['limits the count', skipAt(100, 200, 101), {}, ['×100+ Paused', 210, 'start']],
  ['shows only the count without space for the reason', skipAt(20, 200, 7), { upcoming: [230] }, ['×7', 210, 'start']],
  ['shows nothing without space', skipAt(200), { runs: [runAt(170)], upcoming: [230] }, undefined],
  ['shows nothing at the edge, beside a long run', skipAt(490), { runs: [runAt(100, 480)] }, undefined],
])('%s', (_, skip, input, want) => {
  expect(note(skip, input)).toEqual(want);
});
