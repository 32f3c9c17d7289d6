/** Draws what a terminal shows as an animated SVG, without fonts, scripts or images of its own. */
import xterm, { type IBufferCell, type IBufferLine, type Terminal } from '@xterm/headless';

/** A command, and its output with colors. */
export interface TerminalStep {
  readonly command: string;
  readonly output: string;
}
export interface TerminalPictureOptions {
  /** What the picture shows, for a reader who does not see it. */
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
}

const CELL = { width: 8, height: 19, fontSize: 13 };
const MARGIN = 14;
/** How long a command is visible before its output, and then its output. Seconds. */
const COMMAND_SECONDS = 1.2;
const OUTPUT_SECONDS = 6;
const PROMPT = '\u001b[32m$\u001b[39m ';
/** The 16 colors of a terminal, each readable on the background of the picture. */
const COLORS = '#6e7681 #ff7b72 #3fb950 #d29922 #79c0ff #d2a8ff #56d4dd #e6edf3'.split(' ');
const FOREGROUND = '#e6edf3';
const DIM = '#9198a1';

/** Each step clears the screen. With reduced motion, the picture shows the output of the first step. */
export async function drawTerminal(steps: readonly TerminalStep[], options: TerminalPictureOptions): Promise<string> {
  const { title, columns, rows } = options;
  const frames: string[] = [];
  for (const { command, output } of steps) {
    for (const text of [`${PROMPT}${command}`, `${PROMPT}${command}\n${output}`])
      frames.push(await drawScreen(text, options));
  }
  const duration = steps.length * (COMMAND_SECONDS + OUTPUT_SECONDS);
  const [width, height] = [columns * CELL.width + 2 * MARGIN, rows * CELL.height + 2 * MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" fill="${FOREGROUND}" role="img">
<title>${escapeXml(title)}</title>
<style>
text { font: ${CELL.fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
g { animation: ${duration}s step-end infinite; visibility: hidden }
${frames.map((_, index) => drawKeyframes(index, duration)).join('\n')}
@media (prefers-reduced-motion: reduce) { g { animation: none } #f1 { visibility: visible } }
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${frames.map((frame, index) => `<g id="f${index}" style="animation-name: f${index}">\n${frame}\n</g>`).join('\n')}
</svg>
`;
}

/** The time of a frame, as a share of the whole. */
function drawKeyframes(index: number, duration: number): string {
  const start = Math.floor(index / 2) * (COMMAND_SECONDS + OUTPUT_SECONDS) + (index % 2) * COMMAND_SECONDS;
  const end = start + (index % 2 === 0 ? COMMAND_SECONDS : OUTPUT_SECONDS);
  const percent = (seconds: number) => `${Math.round((seconds / duration) * 10_000) / 100}%`;
  return `@keyframes f${index} { ${percent(start)} { visibility: visible } ${percent(end)} { visibility: hidden } }`;
}

/** @throws if the text does not fit the screen */
async function drawScreen(text: string, { columns, rows }: TerminalPictureOptions): Promise<string> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(text.trimEnd().replaceAll('\n', '\r\n'), resolve));
  const { active } = terminal.buffer;
  if (active.baseY > 0)
    throw new Error(`the output of a step has ${active.baseY} more rows than the picture:\n${text}`);
  const lines = Array.from({ length: rows }, (_, row) => drawLine(active.getLine(row), row, terminal));
  terminal.dispose();
  return lines.filter((line) => line !== '').join('\n');
}

function drawLine(line: IBufferLine | undefined, row: number, { cols }: Terminal): string {
  if (line === undefined || line.translateToString(true) === '') return '';
  const runs: { readonly column: number; readonly style: string; text: string }[] = [];
  for (let column = 0; column < cols; column++) {
    const cell = line.getCell(column);
    if (cell === undefined) break;
    const style = formatStyle(cell);
    const last = runs.at(-1);
    if (last?.style === style) last.text += cell.getChars() || ' ';
    else runs.push({ column, style, text: cell.getChars() || ' ' });
  }
  const y = MARGIN + (row + 1) * CELL.height - 5;
  return runs
    .filter(({ text }) => text.trim() !== '')
    .map(({ column, style, text }) => {
      const trimmed = text.trimEnd();
      const length = trimmed.length * CELL.width;
      return `<text x="${MARGIN + column * CELL.width}" y="${y}" textLength="${length}"${style}>${escapeXml(trimmed)}</text>`;
    })
    .join('');
}

function formatStyle(cell: IBufferCell): string {
  const color = cell.isFgPalette() ? COLORS[cell.getFgColor() % COLORS.length] : cell.isDim() ? DIM : undefined;
  return `${color === undefined ? '' : ` fill="${color}"`}${cell.isBold() ? ' font-weight="bold"' : ''}`;
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
