/** Tables as kubectl prints them: columns three spaces apart, without lines. */

const GAP = 3;

/** Each line ends without spaces. A cell that is absent, and one that is empty, is shown as `<none>`, as in kubectl. */
export function columns(head: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string {
  const lines = [head, ...rows.map((row) => head.map((_, index) => row[index] || '<none>'))];
  const widths = head.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ''))));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, index) => padded(cell, widths[index] ?? 0))
          .join('')
          .trimEnd()}\n`,
    )
    .join('');
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(width - widthOf(cell) + GAP);
}

/** In characters, not in code units. */
function widthOf(text: string): number {
  return [...text].length;
}
