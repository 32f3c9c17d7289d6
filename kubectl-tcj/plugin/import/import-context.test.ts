import { expect, test } from 'vitest';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { CommandError } from '../command.ts';
import { ImportReport } from './import-context.ts';

const getName = (name: string) => name;

/** Work that ends when the test says so. */
function works() {
  const waits = new Map(['a', 'b', 'c'].map((name) => [name, Promise.withResolvers<void>()] as const));
  const terminal = new CapturedTerminal();
  const report = new ImportReport(terminal);
  const done = report.runAll(['c', 'a', 'b'], getName, async (name) => {
    await waits.get(name)?.promise;
    report.reportChange(name, 'is done');
    return name;
  });
  return { terminal, report, done, waits };
}

test('reports concurrent work in the order of the names', async () => {
  const { terminal, report, done, waits } = works();
  for (const name of ['c', 'b']) waits.get(name)?.resolve();
  await waits.get('b')?.promise;
  report.notify('waiting for a');
  expect(terminal.texts).toEqual({ out: '', err: 'waiting for a\n' });
  waits.get('a')?.resolve();
  expect(await done).toEqual(['a', 'b', 'c']);
  expect(terminal.texts.out).toBe('a is done\nb is done\nc is done\n');
  report.reportChange('a', 'is done again');
  expect(terminal.texts.out).toMatch(/a is done again\n$/);
});

test('reports a failure in its order, and continues with the others', async () => {
  const { terminal, report, done, waits } = works();
  waits.get('a')?.reject(new CommandError('refused'));
  for (const name of ['b', 'c']) waits.get(name)?.resolve();
  expect(await done).toEqual(['b', 'c']);
  expect(terminal.texts).toEqual({ out: 'b is done\nc is done\n', err: 'a: refused\n' });
  expect(report.exitCode).toBe(1);
});

test('reports finished work when an error ends the command', async () => {
  const { terminal, done, waits } = works();
  waits.get('c')?.resolve();
  await waits.get('c')?.promise;
  waits.get('b')?.reject(new Error('interrupted'));
  await expect(done).rejects.toThrow('interrupted');
  expect(terminal.texts.out).toBe('c is done\n');
});
