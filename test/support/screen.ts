/** What a person sees of a text, by a terminal emulator. */
import xterm from '@xterm/headless';

/** In front of what did not fit into the line above. */
const WRAPPED = '↩';

/** The rows of a terminal of so many columns after the text, down to the last that is not empty. Colours are not in them. */
export async function screenOf(text: string, columns: number): Promise<readonly string[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 100, allowProposedApi: true });
  // A terminal's line discipline does this.
  await new Promise<void>((resolve) => terminal.write(text.replaceAll('\n', '\r\n'), resolve));
  const buffer = terminal.buffer.active;
  const rows = Array.from({ length: buffer.length }, (_, index) => {
    const line = buffer.getLine(index);
    return `${line?.isWrapped ? WRAPPED : ''}${line?.translateToString(true) ?? ''}`;
  });
  terminal.dispose();
  const last = rows.findLastIndex((row) => row !== '');
  return rows.slice(0, last + 1);
}
