import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../kubectl-tcj/plugin/commands.ts';
import { commandPage, commandPagePath } from './command-page.ts';

test('what a person has written is of a command that there is, and is in its page', () => {
  const folder = join(import.meta.dirname, 'kubectl-tcj');
  for (const file of readdirSync(folder)) {
    const found = COMMANDS.find(({ name }) => `${name}.md` === file);
    if (found === undefined) expect.unreachable(`${file} is of no command`);
    expect(commandPage(found)).toContain(readFileSync(join(folder, file), 'utf8').trim());
  }
});

test('the entry page leads to the page of each command', () => {
  const entry = readFileSync(join(import.meta.dirname, '../../docs/kubectl-tcj.md'), 'utf8');
  for (const each of COMMANDS) {
    expect(entry).toContain(`[${each.name}](${commandPagePath(each).replace('docs/', '')})`);
  }
});

test('no page is of a command that there is no more', () => {
  const pages = readdirSync(join(import.meta.dirname, '../../docs/kubectl-tcj')).map(
    (name) => `docs/kubectl-tcj/${name}`,
  );
  expect(pages.toSorted()).toEqual(COMMANDS.map(commandPagePath).toSorted());
});
