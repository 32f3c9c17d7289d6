import { expect, test } from 'vitest';
import { formatDuration, Progress } from './progress.ts';

class Output {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 30;

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }
}

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [1_000, '1.0 s'],
  [59_900, '59.9 s'],
  [60_000, '1 min 0 s'],
  [185_400, '3 min 5 s'],
])('%d ms reads %s', (durationMs, want) => {
  expect(formatDuration(durationMs)).toBe(want);
});

test('writes plain lines to a log', () => {
  const output = new Output(false);
  const progress = new Progress(output);
  progress.note('a note');
  progress.step('building etcd').done();
  progress.step('downloading kwok').failed('no route');
  progress.step('audit').undecided('nobody answers');
  expect(output.text).toMatch(
    /^ {2}a note\n {2}building etcd …\n✓ building etcd \(.+\)\n {2}downloading kwok …\n✗ downloading kwok \(.+\): no route\n {2}audit …\n\? audit \(.+\): nobody answers\n$/,
  );
});

test('rewrites one line on a terminal, cut to its width', () => {
  const output = new Output(true);
  new Progress(output).step('building something with a very long name').done();
  const [shown = ''] = output.text.split('\r\x1b[2K').filter(Boolean);
  expect(shown).toHaveLength(29);
  expect(output.text.split('\r\x1b[2K').at(-1)).toMatch(/^✓ building something with a very long name \(.+\)\n$/);
});
