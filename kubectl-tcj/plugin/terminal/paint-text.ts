/** Writes coloured text to the terminal. No information depends on the colours alone. */
import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import type { Terminal } from '../command.ts';
import { escapeUnprintableLines } from './escape-unprintable.ts';

const COLOR_BY_TONE = { bad: 'red', doubtful: 'yellow', good: 'green', active: 'cyan' } as const;

/**
 * The prefix that marks the plugin's own colour codes until the text is printed. The prefix is random, so external text cannot
 * contain it.
 */
const COLOR_ESCAPE = `\u001b${randomUUID()}`;

export type Tone = keyof typeof COLOR_BY_TONE;

/** Returns plain text if the terminal has no colours. */
export function paintText(text: string, tone: Tone, { hasColors }: Pick<Terminal, 'hasColors'>): string {
  if (!hasColors) return text;
  return styleText(COLOR_BY_TONE[tone], text, { validateStream: false }).replaceAll('\u001b', COLOR_ESCAPE);
}

/** Returns whether the stream is a terminal with colours. `NO_COLOR` and `FORCE_COLOR` override the result. */
export function hasColors(stream: NodeJS.WriteStream): boolean {
  return styleText('red', 'x', { stream }) !== 'x';
}

/** Returns a terminal that escapes all control characters except the colours of the plugin. */
export function escapeOutput<T extends Pick<Terminal, 'out' | 'err'>>(terminal: T): T {
  return {
    ...terminal,
    out: (text: string) => terminal.out(escapeForeignText(text)),
    err: (text: string) => terminal.err(escapeForeignText(text)),
  };
}

function escapeForeignText(text: string): string {
  return text
    .split(COLOR_ESCAPE)
    .map((part) => escapeUnprintableLines(part))
    .join('\u001b');
}
