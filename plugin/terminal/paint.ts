/** Colours of words. A word says the same without them. */
import { styleText } from 'node:util';
import type { Terminal } from '../command.ts';

const COLORS = { bad: 'red', doubtful: 'yellow', good: 'green', active: 'cyan' } as const;

export type Tone = keyof typeof COLORS;

/** Colours that nobody sees are left out. */
export function painted(text: string, tone: Tone, { hasColors }: Pick<Terminal, 'hasColors'>): string {
  return hasColors ? styleText(COLORS[tone], text, { validateStream: false }) : text;
}

/** Whether colours are seen there: it is a terminal. `NO_COLOR` and `FORCE_COLOR` are obeyed. */
export function hasColors(stream: NodeJS.WriteStream): boolean {
  return styleText('red', 'x', { stream }) !== 'x';
}
