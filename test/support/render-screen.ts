/** Text as a user sees it, rendered by a terminal emulator. */
import xterm from '@xterm/headless';

/** Prefix of the rest of a line that did not fit. */
const WRAPPED = '↩';

/** The rows of a terminal with this number of columns after the text, up to the last row that is not empty. Without colors. */
export async function renderScreen(text: string, columns: number): Promise<readonly string[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 100, allowProposedApi: true });
  // The line discipline of a terminal does this.
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
