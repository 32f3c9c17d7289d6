/** Formats tables as kubectl does: columns three spaces apart, without lines. On a screen they fit its width. */
import { toOneLine, truncate, truncateMiddle, wrapText } from './texts.ts';
import { measureWidth } from './width.ts';

export interface Column {
  readonly head: string;
  /**
   * How a column fits a narrow screen. `keep`, for names: a cell gets a line of its own. `truncate`: a cell ends with `…`. `prose`, for
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
export type Cell = string | undefined | PaintedText;

interface PaintedText {
  readonly text: string;
  /** Adds colours, which take no columns. */
  readonly paint: (text: string) => string;
}

/** A column with its position. */
interface PlacedColumn {
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
export function formatColumns(
  head: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const cells = rows.map((row) => head.map((_, index) => toPaintedText(row[index])));
  const texts = head.map((column, index) =>
    [column.head, ...cells.map((row) => row[index]?.text ?? '')].map(measureWidth),
  );
  const placedColumns = placeColumns(head, texts, width);
  const names = head.slice(0, placedColumns.length).map((column) => toPaintedText(column.head));
  return [names, ...cells].flatMap((row) => formatRow(row, placedColumns, width)).join('');
}

function toPaintedText(cell: Cell): PaintedText {
  const { text, paint } = typeof cell === 'object' ? cell : { text: cell || '<none>', paint: (plain: string) => plain };
  return { text: toOneLine(text), paint };
}

/**
 * Leaves out the column of prose when it goes below the row.
 * @param texts The widths of the cells in each column.
 */
function placeColumns(
  head: readonly Column[],
  texts: readonly (readonly number[])[],
  width: number,
): readonly PlacedColumn[] {
  const natural = texts.map((each) => Math.max(...each));
  const last = head.length - 1;
  const hasProse = head[last]?.fit === 'prose';
  const proseStart = natural.slice(0, last).reduce((sum, each) => sum + each + GAP, 0);
  const isBelow = hasProse && proseStart + Math.min(natural[last] ?? 0, MIN_PROSE) > width;
  if (hasProse && !isBelow) return addStarts(head, [...natural.slice(0, last), width - proseStart]);
  const others = hasProse ? head.slice(0, last) : head;
  const first = fitWidths(others, natural, width);
  // Names on a line of their own leave their columns to the others.
  const rooms = first.map((limit, index) => computeRoom(texts[index] ?? [], limit, others[index]));
  return addStarts(others, fitWidths(others, rooms, width));
}

function computeRoom(widths: readonly number[], limit: number, { fit = 'keep' }: Column = { head: '' }): number {
  return fit === 'keep' ? Math.max(...widths.filter((each) => each <= limit)) : Math.max(...widths);
}

function fitWidths(head: readonly Column[], natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural.slice(0, head.length)];
  const orders = new Set(head.map(({ order = 0 }) => order));
  for (const order of [...orders].toSorted((left, right) => left - right)) {
    shrink(widths, head, width, ({ fit, order: own = 0 }) => fit === 'cut' && own === order);
  }
  shrink(widths, head, width, ({ fit = 'keep' }) => fit === 'keep');
  return widths;
}

function addStarts(head: readonly Column[], widths: readonly number[]): readonly PlacedColumn[] {
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
      return gives(column) ? each - Math.max(measureWidth(column.head), column.min ?? MIN_CUT) : 0;
    });
    const widest = spare.indexOf(Math.max(...spare));
    const most = spare[widest] ?? 0;
    if (excess <= 0 || most <= 0) return;
    widths[widest] = (widths[widest] ?? 0) - Math.min(most, Math.max(1, Math.ceil(excess / 2)));
  }
}

function formatRow(
  row: readonly PaintedText[],
  placedColumns: readonly PlacedColumn[],
  width: number,
): readonly string[] {
  const line = new Line();
  for (const [index, column] of placedColumns.entries()) {
    const { fit, start, width: room } = column;
    const { text, paint } = row[index] ?? toPaintedText(undefined);
    if (fit === 'prose') {
      for (const part of wrapText(text, room).split('\n')) line.add(part, start, paint);
      continue;
    }
    const cellText = fitText(column, text);
    line.add(cellText, Math.min(start, Math.max(0, width - measureWidth(cellText))), paint);
  }
  const prose = row.length > placedColumns.length ? row.at(-1)?.text : undefined;
  const hasProse = prose !== undefined && prose !== '-' && prose !== '<none>';
  return [...line.finish(), ...(hasProse ? [`${wrapText(INDENT + prose, width, INDENT)}\n`] : [])];
}

function fitText({ fit, keepsEnds, width }: PlacedColumn, text: string): string {
  if (fit !== 'cut') return text;
  return keepsEnds ? truncateMiddle(text, width) : truncate(text, width);
}

/** Places cells one after another, on as many lines as needed for each cell to begin at its position. */
class Line {
  readonly #finishedLines: string[] = [];
  #text = '';
  #width = 0;

  add(text: string, start: number, paint: PaintedText['paint']): void {
    if (this.#width > 0 && this.#width + GAP > start) {
      this.#finishedLines.push(`${this.#text}\n`);
      this.#text = '';
      this.#width = 0;
    }
    this.#text += ' '.repeat(start - this.#width) + paint(text);
    this.#width = start + measureWidth(text);
  }

  finish(): readonly string[] {
    return [...this.#finishedLines, `${this.#text}\n`];
  }
}
