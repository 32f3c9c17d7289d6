/** Colours of words. A word says the same without them. */
import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import type { Terminal } from '../command.ts';

const COLORS = { bad: 'red', doubtful: 'yellow', good: 'green', active: 'cyan' } as const;

/** What colours begin with, until they are written: no text from elsewhere can have it. */
export const OWN_ESCAPE = `\u001b${randomUUID()}`;

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
