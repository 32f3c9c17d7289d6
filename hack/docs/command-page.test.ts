import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../kubectl-tcj/plugin/commands.ts';
import { getCommandPagePath, renderCommandPage } from './command-page.ts';

test('each hand-written part belongs to an existing command and is in its page', () => {
  const folder = join(import.meta.dirname, 'kubectl-tcj');
  for (const file of readdirSync(folder)) {
    const command = COMMANDS.find(({ name }) => `${name}.md` === file);
    if (command === undefined) expect.unreachable(`${file} belongs to no command`);
    expect(renderCommandPage(command)).toContain(readFileSync(join(folder, file), 'utf8').trim());
  }
});

test('the entry page links to the page of each command', () => {
  const entry = readFileSync(join(import.meta.dirname, '../../docs/kubectl-tcj.md'), 'utf8');
  for (const command of COMMANDS) {
    expect(entry).toContain(`[${command.name}](${getCommandPagePath(command).replace('docs/', '')})`);
  }
});

test('each page belongs to an existing command', () => {
  const pages = readdirSync(join(import.meta.dirname, '../../docs/kubectl-tcj')).map(
    (name) => `docs/kubectl-tcj/${name}`,
  );
  expect(pages.toSorted()).toEqual(COMMANDS.map(getCommandPagePath).toSorted());
});
