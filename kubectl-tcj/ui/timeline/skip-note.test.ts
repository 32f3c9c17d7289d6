import { expect, test } from 'vitest';
import type { RunMark, SkipMark } from '../model/marks.ts';
import { noteBeside } from './skip-note.ts';

/** One pixel per millisecond. */
const scale = { x: (ms: number) => ms, width: 500 };

function skipAt(fromMs: number, untilMs = fromMs, count = 1): SkipMark {
  const skip = { firstTime: new Date(fromMs), lastTime: new Date(untilMs), count, reason: 'Paused' };
  return { skip, atMs: untilMs, fromMs, untilMs };
}

const runAt = (fromMs: number, untilMs = fromMs) => ({ fromMs, untilMs }) as RunMark; // the fields that are read

interface Around {
  readonly runs?: readonly RunMark[];
  readonly coming?: readonly number[];
  readonly nowX?: number;
}

function note(skip: SkipMark, { runs = [], coming = [], nowX = 500 }: Around = {}) {
  const found = noteBeside(skip, { marks: { runs, skips: [skip], coming }, scale, nowX });
  return found && [found.text, found.x, found.anchor];
}

test.each([
  ['behind it', skipAt(100), {}, ['Paused', 110, 'start']],
  ['before it, where the next mark is near', skipAt(200), { coming: [220] }, ['Paused', 190, 'end']],
  ['before it, where now is near', skipAt(200), { nowX: 210 }, ['Paused', 190, 'end']],
  [
    'over the line for now, where else is no room',
    skipAt(200),
    { runs: [runAt(180)], nowX: 210 },
    ['Paused', 210, 'start'],
  ],
  ['behind the last of several, with how many', skipAt(100, 200, 7), {}, ['×7 Paused', 210, 'start']],
  ['with more than can be counted', skipAt(100, 200, 101), {}, ['×100+ Paused', 210, 'start']],
  ['how many alone, where there is no room for why', skipAt(20, 200, 7), { coming: [230] }, ['×7', 210, 'start']],
  ['nothing, where there is no room', skipAt(200), { runs: [runAt(170)], coming: [230] }, undefined],
  ['nothing at the edge, beside a long run', skipAt(490), { runs: [runAt(100, 480)] }, undefined],
])('%s', (_, skip, around, want) => {
  expect(note(skip, around)).toEqual(want);
});
