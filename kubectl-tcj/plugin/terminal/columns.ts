/**
 * Formats tables as kubectl does, with three spaces between columns and no borders. On a terminal, a table fits into
 * the window.
 */

import { measureWidth } from './measure-width.ts';
import { toOneLine, truncate, truncateMiddle, wrapText } from './wrap-text.ts';

export interface Column {
  readonly header: string;
  /**
   * Determines what happens to a long cell in a narrow terminal. `keep`: the cell moves to its own line. `cut`: the cell ends with
   * `…`. `prose`: the cell continues on the lines below; only the last column supports this value. Default: `keep`.
   */
  readonly fit?: 'keep' | 'cut' | 'prose';
  /** Whether `cut` keeps the end of a cell and puts `…` in the middle. Default: false. */
  readonly shouldKeepEnds?: boolean;
  /** Columns with `cut` and a lower number shrink first, down to their minimum width. Default: 0. */
  readonly shrinkOrder?: number;
  /** The minimum width of a column with `cut`. Default: 8. A column is at least as wide as its header. */
  readonly minWidth?: number;
}

/** Empty cells are shown as `<none>`, as in kubectl. */
export type Cell = string | undefined | PaintedText;

interface PaintedText {
  readonly text: string;
  /** Adds colour codes, which have no width. */
  readonly paint: (text: string) => string;
}

interface PlacedColumn {
  readonly fit: NonNullable<Column['fit']>;
  readonly shouldKeepEnds: boolean;
  readonly start: number;
  readonly width: number;
}

const COLUMN_GAP = 3;
const MIN_COLUMN_WIDTH = 8;
/**
 * The minimum width of a column with `prose`. If less space is available, the cells of the column move to the line
 * below the row.
 */
const MIN_PROSE_WIDTH = 30;
const PROSE_INDENT = '    ';

/**
 * Lines have no trailing spaces.
 * @param width The width of the terminal. Default: unlimited.
 */
export function formatColumns(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const cells = rows.map((row) => columns.map((_, index) => toPaintedText(row[index])));
  const cellWidths = columns.map((column, index) =>
    [column.header, ...cells.map((row) => row[index]?.text ?? '')].map(measureWidth),
  );
  const placedColumns = placeColumns(columns, cellWidths, width);
  const headerRow = columns.slice(0, placedColumns.length).map((column) => toPaintedText(column.header));
  return [headerRow, ...cells].flatMap((row) => formatRow(row, placedColumns, width)).join('');
}

function toPaintedText(cell: Cell): PaintedText {
  const { text, paint } = typeof cell === 'object' ? cell : { text: cell || '<none>', paint: (plain: string) => plain };
  return { text: toOneLine(text), paint };
}

/**
 * Omits a column with `prose` if its cells move below the row.
 * @param cellWidths The widths of the cells in each column.
 */
function placeColumns(
  columns: readonly Column[],
  cellWidths: readonly (readonly number[])[],
  width: number,
): readonly PlacedColumn[] {
  const naturalWidths = cellWidths.map((each) => Math.max(...each));
  const lastIndex = columns.length - 1;
  const hasProse = columns[lastIndex]?.fit === 'prose';
  const proseStart = naturalWidths.slice(0, lastIndex).reduce((sum, each) => sum + each + COLUMN_GAP, 0);
  const isProseBelow = hasProse && proseStart + Math.min(naturalWidths[lastIndex] ?? 0, MIN_PROSE_WIDTH) > width;
  if (hasProse && !isProseBelow)
    return addStartPositions(columns, [...naturalWidths.slice(0, lastIndex), width - proseStart]);
  const otherColumns = hasProse ? columns.slice(0, lastIndex) : columns;
  const initialWidths = shrinkWidthsToFit(otherColumns, naturalWidths, width);
  // Long names get their own line, so their columns can be narrower.
  const neededWidths = initialWidths.map((maxWidth, index) =>
    computeNeededWidth(cellWidths[index] ?? [], maxWidth, otherColumns[index]),
  );
  return addStartPositions(otherColumns, shrinkWidthsToFit(otherColumns, neededWidths, width));
}

function computeNeededWidth(
  widths: readonly number[],
  maxWidth: number,
  { fit = 'keep' }: Column = { header: '' },
): number {
  return fit === 'keep' ? Math.max(...widths.filter((each) => each <= maxWidth)) : Math.max(...widths);
}

function shrinkWidthsToFit(
  columns: readonly Column[],
  naturalWidths: readonly number[],
  width: number,
): readonly number[] {
  const widths = [...naturalWidths.slice(0, columns.length)];
  const orders = new Set(columns.map(({ shrinkOrder = 0 }) => shrinkOrder));
  for (const order of [...orders].toSorted((left, right) => left - right)) {
    shrinkColumns(widths, columns, width, ({ fit, shrinkOrder: own = 0 }) => fit === 'cut' && own === order);
  }
  shrinkColumns(widths, columns, width, ({ fit = 'keep' }) => fit === 'keep');
  return widths;
}

function addStartPositions(columns: readonly Column[], widths: readonly number[]): readonly PlacedColumn[] {
  return columns.map(({ fit = 'keep', shouldKeepEnds = false }, index) => {
    const start = widths.slice(0, index).reduce((sum, each) => sum + each + COLUMN_GAP, 0);
    return { fit, shouldKeepEnds, start, width: widths[index] ?? 0 };
  });
}

/** Shrinks the widest columns until all columns fit or have their minimum width. */
function shrinkColumns(
  widths: number[],
  columns: readonly Column[],
  width: number,
  canShrink: (column: Column) => boolean,
): void {
  for (;;) {
    const excess = widths.reduce((sum, each) => sum + each + COLUMN_GAP, -COLUMN_GAP) - width;
    const spareWidths = widths.map((each, index) => {
      const column = columns[index] ?? { header: '' };
      return canShrink(column) ? each - Math.max(measureWidth(column.header), column.minWidth ?? MIN_COLUMN_WIDTH) : 0;
    });
    const widest = spareWidths.indexOf(Math.max(...spareWidths));
    const maxSpareWidth = spareWidths[widest] ?? 0;
    if (excess <= 0 || maxSpareWidth <= 0) return;
    widths[widest] = (widths[widest] ?? 0) - Math.min(maxSpareWidth, Math.max(1, Math.ceil(excess / 2)));
  }
}

function formatRow(
  row: readonly PaintedText[],
  placedColumns: readonly PlacedColumn[],
  width: number,
): readonly string[] {
  const line = new TableLine();
  for (const [index, column] of placedColumns.entries()) {
    const { fit, start, width: columnWidth } = column;
    const { text, paint } = row[index] ?? toPaintedText(undefined);
    if (fit === 'prose') {
      for (const proseLine of wrapText(text, columnWidth).split('\n')) line.add(proseLine, start, paint);
      continue;
    }
    const cellText = fitText(column, text);
    line.add(cellText, Math.min(start, Math.max(0, width - measureWidth(cellText))), paint);
  }
  const prose = row.length > placedColumns.length ? row.at(-1)?.text : undefined;
  const hasProse = prose !== undefined && prose !== '-' && prose !== '<none>';
  return [...line.finish(), ...(hasProse ? [`${wrapText(PROSE_INDENT + prose, width, PROSE_INDENT)}\n`] : [])];
}

function fitText({ fit, shouldKeepEnds, width }: PlacedColumn, text: string): string {
  if (fit !== 'cut') return text;
  return shouldKeepEnds ? truncateMiddle(text, width) : truncate(text, width);
}

/** Adds cells to a table row, and starts a new line if a cell would overlap the previous cell. */
class TableLine {
  readonly #finishedLines: string[] = [];
  #text = '';
  #width = 0;

  add(text: string, start: number, paint: PaintedText['paint']): void {
    if (this.#width > 0 && this.#width + COLUMN_GAP > start) {
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
