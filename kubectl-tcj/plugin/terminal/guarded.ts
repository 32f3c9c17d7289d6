/** The edge between the plugin and the terminal: everything that is written passes here, whoever it comes from. */
import type { Terminal } from '../command.ts';
import { OWN_ESCAPE } from './paint.ts';
import { printableLines } from './printable.ts';

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
