/** Chooses the text beside the mark of skipped times, and the position of the text. */
import { MAX_MISSED_SLOTS } from '../../../api/v1/cronjob-defaults.ts';
import type { RecentSkip } from '../../../api/v1/recent-lines.ts';
import type { SkipMark, TimelineMarks } from '../model/timeline-marks.ts';
import type { TimeScale } from './time-scale.ts';

/** The distance of the text from the mark, and the approximate width of a letter, in pixels. */
const NOTE_GAP = 10;
const LETTER_WIDTH = 6.5;

interface TimelineLayout {
  readonly marks: Pick<TimelineMarks, 'runs' | 'skips' | 'upcomingMs'>;
  readonly scale: Pick<TimeScale, 'toX' | 'width'>;
  /** The position of the line for the current time. */
  readonly nowX: number;
}

export interface SkipNote {
  readonly text: string;
  readonly x: number;
  readonly anchor: 'start' | 'end';
}

/**
 * Places the number of skipped times and the reason on the side with enough space. If the space is too small, places only the
 * number.
 */
export function placeSkipNote(mark: SkipMark, { marks, scale, nowX }: TimelineLayout): SkipNote | undefined {
  const { runs, skips, upcomingMs } = marks;
  const firstX = scale.toX(mark.fromMs);
  const lastX = scale.toX(mark.untilMs);
  const startPositions = [...[...runs, ...skips].map(({ fromMs }) => fromMs), ...upcomingMs].map((ms) => scale.toX(ms));
  const endPositions = [...runs, ...skips].map(({ untilMs }) => scale.toX(untilMs));
  const nextX = Math.min(scale.width, ...startPositions.filter((position) => position > lastX));
  const rightPlacement = {
    space: (lastX < nowX ? Math.min(nextX, nowX) : nextX) - lastX,
    x: lastX + NOTE_GAP,
    anchor: 'start',
  } as const;
  const leftPlacement = {
    space: firstX - Math.max(0, ...endPositions.filter((position) => position < firstX)),
    x: firstX - NOTE_GAP,
    anchor: 'end',
  } as const;
  // The text crosses the line for the current time only if no other space fits.
  const rightAcrossNow = { ...rightPlacement, space: nextX - lastX };
  for (const text of listNoteTexts(mark.skip)) {
    const placement = [rightPlacement, leftPlacement, rightAcrossNow].find(
      ({ space }) => NOTE_GAP + text.length * LETTER_WIDTH < space,
    );
    if (placement) return { text, x: placement.x, anchor: placement.anchor };
  }
  return undefined;
}

/** Returns the longer text first. */
function listNoteTexts({ count, reason }: RecentSkip): readonly string[] {
  if (count === 1) return [reason];
  const countText = count > MAX_MISSED_SLOTS ? `×${MAX_MISSED_SLOTS}+` : `×${count}`;
  return [`${countText} ${reason}`, countText];
}
