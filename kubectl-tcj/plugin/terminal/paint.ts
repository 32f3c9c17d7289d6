/** The edge between the plugin and the terminal: colours, and everything that is written. A word says the same without its colour. */
import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import type { Terminal } from '../command.ts';
import { printableLines } from './printable.ts';

const COLORS = { bad: 'red', doubtful: 'yellow', good: 'green', active: 'cyan' } as const;

/** What colours begin with, until they are written: no text from elsewhere can have it. */
const OWN_ESCAPE = `\u001b${randomUUID()}`;

export type Tone = keyof typeof COLORS;

/** Colours that nobody sees are left out. */
export function painted(text: string, tone: Tone, { hasColors }: Pick<Terminal, 'hasColors'>): string {
  if (!hasColors) return text;
  return styleText(COLORS[tone], text, { validateStream: false }).replaceAll('\u001b', OWN_ESCAPE);
}

/** Whether colours are seen there: it is a terminal. `NO_COLOR` and `FORCE_COLOR` are obeyed. */
export function hasColors(stream: NodeJS.WriteStream): boolean {
  return styleText('red', 'x', { stream }) !== 'x';
}

/** The same terminal, which only the plugin's own colours steer: not a name, a message or a log. */
export function guarded<T extends Pick<Terminal, 'out' | 'err'>>(terminal: T): T {
  return {
    ...terminal,
    out: (text: string) => terminal.out(shown(text)),
    err: (text: string) => terminal.err(shown(text)),
  };
}

function shown(text: string): string {
  return text
    .split(OWN_ESCAPE)
    .map((part) => printableLines(part))
    .join('\u001b');
}
