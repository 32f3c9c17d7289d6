/** Writes to the terminal, with colours. A word always says the same as its colour. */
import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import type { Terminal } from '../command.ts';
import { escapeUnprintableLines } from './printable.ts';

const COLORS = { bad: 'red', doubtful: 'yellow', good: 'green', active: 'cyan' } as const;

/** Prefix of colours until they are written: no foreign text can contain it. */
const OWN_ESCAPE = `\u001b${randomUUID()}`;

export type Tone = keyof typeof COLORS;

/** Leaves out colours when the terminal does not show them. */
export function paintText(text: string, tone: Tone, { hasColors }: Pick<Terminal, 'hasColors'>): string {
  if (!hasColors) return text;
  return styleText(COLORS[tone], text, { validateStream: false }).replaceAll('\u001b', OWN_ESCAPE);
}

/** Whether the stream shows colours: it is a terminal. Follows `NO_COLOR` and `FORCE_COLOR`. */
export function hasColors(stream: NodeJS.WriteStream): boolean {
  return styleText('red', 'x', { stream }) !== 'x';
}

/** Returns a terminal that only the plugin's own colours can control: not a name, a message or a log. */
export function escapeOutput<T extends Pick<Terminal, 'out' | 'err'>>(terminal: T): T {
  return {
    ...terminal,
    out: (text: string) => terminal.out(escapeForeignText(text)),
    err: (text: string) => terminal.err(escapeForeignText(text)),
  };
}

function escapeForeignText(text: string): string {
  return text
    .split(OWN_ESCAPE)
    .map((part) => escapeUnprintableLines(part))
    .join('\u001b');
}
