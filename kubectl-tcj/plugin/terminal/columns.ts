/** Formats tables as kubectl does: columns three spaces apart, without lines. On a screen they fit its width. */
import { cut, cutMiddle, oneLine, wrapped } from './texts.ts';
import { widthOf } from './width.ts';

export interface Column {
  readonly head: string;
  /**
   * How a column fits a narrow screen. `keep`, for names: a cell gets a line of its own. `cut`: a cell ends with `…`. `prose`, for
   * the last column: a cell continues in the lines below. Default `keep`.
   */
  readonly fit?: 'keep' | 'cut' | 'prose';
  /** For a column that is cut: whether cells keep their ends, with `…` in the middle. Default false. */
  readonly keepsEnds?: boolean;
  /** For a column that is cut: columns with a lower number shrink first, down to their minimum. Default 0. */
  readonly order?: number;
  /** For a column that is cut: minimum width. Default 8, and the width of its head. */
  readonly min?: number;
}

/** An absent or empty cell is shown as `<none>`, as in kubectl. */
export type Cell = string | undefined | Painted;

interface Painted {
  readonly text: string;
  /** Adds colours, which take no columns. */
  readonly paint: (text: string) => string;
}

/** A column with its position. */
interface Placed {
  readonly fit: NonNullable<Column['fit']>;
  readonly keepsEnds: boolean;
  readonly start: number;
  readonly width: number;
}

const GAP = 3;
/** A narrower column would not be useful. */
const MIN_CUT = 8;
/** With fewer columns, prose goes below the row. */
const MIN_PROSE = 30;
const INDENT = '    ';

/**
 * Each line ends without spaces.
 * @param width Width of the screen. Without it, nothing is cut.
 */
export function columns(
  head: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const cells = rows.map((row) => head.map((_, index) => paintedOf(row[index])));
  const texts = head.map((column, index) => [column.head, ...cells.map((row) => row[index]?.text ?? '')].map(widthOf));
  const placed = place(head, texts, width);
  const names = head.slice(0, placed.length).map((column) => paintedOf(column.head));
  return [names, ...cells].flatMap((row) => linesOf(row, placed, width)).join('');
}

function paintedOf(cell: Cell): Painted {
  const { text, paint } = typeof cell === 'object' ? cell : { text: cell || '<none>', paint: (plain: string) => plain };
  return { text: oneLine(text), paint };
}

/**
 * Leaves out the column of prose when it goes below the row.
 * @param texts The widths of the cells in each column.
 */
function place(head: readonly Column[], texts: readonly (readonly number[])[], width: number): readonly Placed[] {
  const natural = texts.map((each) => Math.max(...each));
  const last = head.length - 1;
  const hasProse = head[last]?.fit === 'prose';
  const proseStart = natural.slice(0, last).reduce((sum, each) => sum + each + GAP, 0);
  const isBelow = hasProse && proseStart + Math.min(natural[last] ?? 0, MIN_PROSE) > width;
  if (hasProse && !isBelow) return started(head, [...natural.slice(0, last), width - proseStart]);
  const others = hasProse ? head.slice(0, last) : head;
  const first = fitted(others, natural, width);
  // Names on a line of their own leave their columns to the others.
  const rooms = first.map((limit, index) => roomFor(texts[index] ?? [], limit, others[index]));
  return started(others, fitted(others, rooms, width));
}

function roomFor(widths: readonly number[], limit: number, { fit = 'keep' }: Column = { head: '' }): number {
  return fit === 'keep' ? Math.max(...widths.filter((each) => each <= limit)) : Math.max(...widths);
}

function fitted(head: readonly Column[], natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural.slice(0, head.length)];
  const orders = new Set(head.map(({ order = 0 }) => order));
  for (const order of [...orders].toSorted((left, right) => left - right)) {
    shrink(widths, head, width, ({ fit, order: own = 0 }) => fit === 'cut' && own === order);
  }
  shrink(widths, head, width, ({ fit = 'keep' }) => fit === 'keep');
  return widths;
}

function started(head: readonly Column[], widths: readonly number[]): readonly Placed[] {
  return head.map(({ fit = 'keep', keepsEnds = false }, index) => {
    const start = widths.slice(0, index).reduce((sum, each) => sum + each + GAP, 0);
    return { fit, keepsEnds, start, width: widths[index] ?? 0 };
  });
}

/** Shrinks the widest columns, until all fit or none can shrink. */
function shrink(widths: number[], head: readonly Column[], width: number, gives: (column: Column) => boolean): void {
  for (;;) {
    const excess = widths.reduce((sum, each) => sum + each + GAP, -GAP) - width;
    const spare = widths.map((each, index) => {
      const column = head[index] ?? { head: '' };
      return gives(column) ? each - Math.max(widthOf(column.head), column.min ?? MIN_CUT) : 0;
    });
    const widest = spare.indexOf(Math.max(...spare));
    const most = spare[widest] ?? 0;
    if (excess <= 0 || most <= 0) return;
    widths[widest] = (widths[widest] ?? 0) - Math.min(most, Math.max(1, Math.ceil(excess / 2)));
  }
}

function linesOf(row: readonly Painted[], placed: readonly Placed[], width: number): readonly string[] {
  const line = new Line();
  for (const [index, column] of placed.entries()) {
    const { fit, start, width: room } = column;
    const { text, paint } = row[index] ?? paintedOf(undefined);
    if (fit === 'prose') {
      for (const part of wrapped(text, room).split('\n')) line.add(part, start, paint);
      continue;
    }
    const shown = shownIn(column, text);
    line.add(shown, Math.min(start, Math.max(0, width - widthOf(shown))), paint);
  }
  const prose = row.length > placed.length ? row.at(-1)?.text : undefined;
  const isSaid = prose !== undefined && prose !== '-' && prose !== '<none>';
  return [...line.ended(), ...(isSaid ? [`${wrapped(INDENT + prose, width, INDENT)}\n`] : [])];
}

function shownIn({ fit, keepsEnds, width }: Placed, text: string): string {
  if (fit !== 'cut') return text;
  return keepsEnds ? cutMiddle(text, width) : cut(text, width);
}

/** Places cells one after another, on as many lines as needed for each cell to begin at its position. */
class Line {
  readonly #before: string[] = [];
  #text = '';
  #width = 0;

  add(text: string, start: number, paint: Painted['paint']): void {
    if (this.#width > 0 && this.#width + GAP > start) {
      this.#before.push(`${this.#text}\n`);
      this.#text = '';
      this.#width = 0;
    }
    this.#text += ' '.repeat(start - this.#width) + paint(text);
    this.#width = start + widthOf(text);
  }

  ended(): readonly string[] {
    return [...this.#before, `${this.#text}\n`];
  }
}
