import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../control-plane/run.ts';
import { readPlantedFaults } from './patches.ts';

const PROJECT = join(import.meta.dirname, '../..');
const faults = readPlantedFaults(join(PROJECT, 'test/planted'));

/** Whether the patch fits the files of this project; also when they lie in no repository, or inside of another one. */
function checkPatch(path: string): Promise<string> {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(PROJECT) };
  return run('git', ['apply', '--check', path], { cwd: PROJECT, env });
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('there are enough faults to judge a suite by', () => {
  expect(faults.length).toBeGreaterThanOrEqual(20);
});

test.each(faults)('$name can be planted', async ({ path }) => {
  await expect(checkPatch(path)).resolves.toBe('');
});

test('a patch cannot be planted when the line that it changes is another one', async () => {
  const [{ path } = { path: '' }] = faults;
  const text = readFileSync(path, 'utf8').replace(/^-(?!--)/m, '-something else ');
  const folder = folderWith({ 'changed.patch': text });
  await expect(checkPatch(join(folder, 'changed.patch'))).rejects.toThrow('patch does not apply');
});

const DIFF = `diff --git a/cmd/main.ts b/cmd/main.ts
--- a/cmd/main.ts
+++ b/cmd/main.ts
@@ -1,1 +1,1 @@
-one
+two
`;
const GOOD = `Fault: A number is wrong.\nHarm: Runs are lost.\n\n${DIFF}`;

test('a fault has a name, what was changed and who suffers', () => {
  const folder = folderWith({ '02-second.patch': GOOD, '01-wrong-number.patch': GOOD });
  expect(readPlantedFaults(folder)).toEqual([
    {
      name: '01-wrong-number',
      path: join(folder, '01-wrong-number.patch'),
      fault: 'A number is wrong.',
      harm: 'Runs are lost.',
    },
    expect.objectContaining({ name: '02-second' }),
  ]);
});

const FORM = 'must begin with "Fault: <a sentence>" and "Harm: <a sentence>"';

test.each([
  ['another ending', { '01-a.diff': GOOD }, '01-a.diff: its name must be like'],
  ['no number', { 'a.patch': GOOD }, 'a.patch: its name must be like'],
  ['the number of another one', { '01-a.patch': GOOD, '01-b.patch': GOOD }, '01-b: another one has this number'],
  ['no fault', { '01-a.patch': GOOD.replace(/^Fault.*\n/, '') }, FORM],
  ['no harm', { '01-a.patch': GOOD.replace(/^Harm.*\n/m, '') }, FORM],
  ['no word in its harm', { '01-a.patch': GOOD.replace(/^Harm.*$/m, 'Harm: ') }, FORM],
  ['no diff', { '01-a.patch': GOOD.replace(DIFF, '') }, FORM],
  ['too many lines', { '01-a.patch': `${GOOD}${'+two\n'.repeat(14)}` }, 'changes 16 lines, and may change 15'],
  ['a test in it', { '01-a.patch': GOOD.replaceAll('main.ts', 'main.test.ts') }, 'cmd/main.test.ts is no code of'],
  ['a tool in it', { '01-a.patch': GOOD.replaceAll('cmd/', 'hack/') }, 'hack/main.ts is no code of the manager'],
])('a fault is refused with %s', (_, files, message) => {
  expect(() => readPlantedFaults(folderWith(files))).toThrow(message);
});
