/** The text beside a mark for skipped times. */
import { MAX_MISSED_SLOTS } from '../../../api/v1/cronjob-defaults.ts';
import type { RecentSkip } from '../../../api/v1/recent-lines.ts';
import type { Marks, SkipMark } from '../model/marks.ts';
import type { TimeScale } from './time-scale.ts';

/** Distance of the text from the middle of the mark, and the approximate width of a letter. In pixels. */
const NOTE_GAP = 10;
const LETTER_WIDTH = 6.5;

interface NoteSurroundings {
  readonly marks: Pick<Marks, 'runs' | 'skips' | 'upcoming'>;
  readonly scale: Pick<TimeScale, 'x' | 'width'>;
  /** Position of the line for now. */
  readonly nowX: number;
}

export interface SkipNote {
  readonly text: string;
  readonly x: number;
  readonly anchor: 'start' | 'end';
}

/** The number of skipped times and the reason, on the side with enough room; otherwise the number alone. */
export function placeSkipNote(mark: SkipMark, { marks, scale, nowX }: NoteSurroundings): SkipNote | undefined {
  const { runs, skips, upcoming } = marks;
  const first = scale.x(mark.fromMs);
  const last = scale.x(mark.untilMs);
  const starts = [...[...runs, ...skips].map(({ fromMs }) => fromMs), ...upcoming].map((ms) => scale.x(ms));
  const ends = [...runs, ...skips].map(({ untilMs }) => scale.x(untilMs));
  const next = Math.min(scale.width, ...starts.filter((other) => other > last));
  const right = {
    room: (last < nowX ? Math.min(next, nowX) : next) - last,
    x: last + NOTE_GAP,
    anchor: 'start',
  } as const;
  const left = {
    room: first - Math.max(0, ...ends.filter((other) => other < first)),
    x: first - NOTE_GAP,
    anchor: 'end',
  } as const;
  // The text may cross the line for now if it fits nowhere else.
  const acrossNow = { ...right, room: next - last };
  for (const text of listNoteTexts(mark.skip)) {
    const side = [right, left, acrossNow].find(({ room }) => NOTE_GAP + text.length * LETTER_WIDTH < room);
    if (side) return { text, x: side.x, anchor: side.anchor };
  }
  return undefined;
}

/** The longer text first. */
function listNoteTexts({ count, reason }: RecentSkip): readonly string[] {
  if (count === 1) return [reason];
  const times = count > MAX_MISSED_SLOTS ? `×${MAX_MISSED_SLOTS}+` : `×${count}`;
  return [`${times} ${reason}`, times];
}
