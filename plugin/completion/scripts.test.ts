import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { SCRIPTS } from './scripts.ts';

/** What a program finds that completes: `kubectl-tcj`, which answers with `answer` and notes how it was called. */
function folderWithPlugin(answer: string): string {
  const folder = temporaryFolder();
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" >'${folder}/asked'\ncat '${folder}/answer'\n`;
  writeFileSync(join(folder, 'answer'), answer);
  writeFileSync(join(folder, 'kubectl-tcj'), script);
  writeFileSync(join(folder, 'kubectl_complete-tcj'), SCRIPTS.kubectl);
  for (const name of ['kubectl-tcj', 'kubectl_complete-tcj']) chmodSync(join(folder, name), 0o755);
  return folder;
}

/** What bash would offer, in a line, and what the plugin was asked for. */
async function complete(answer: string, ...words: readonly string[]) {
  const folder = folderWithPlugin(answer);
  const lines = [
    SCRIPTS.bash,
    // As bash calls the function that `complete -F` names.
    'complete -p kubectl-tcj | grep -q __kubectl_tcj_complete',
    'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()',
    '__kubectl_tcj_complete kubectl-tcj',
    `cat '${folder}/asked'; echo '=>' "\${COMPREPLY[@]}"`,
  ];
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const said = await run(
    'bash',
    ['--norc', '-euo', 'pipefail', '-c', lines.join('\n'), 'bash', 'kubectl-tcj', ...words],
    { env },
  );
  const [asked = '', offered = ''] = said.split('\n=>');
  return { asked: asked.split('\n'), offered: offered.trim() };
}

test('bash asks for the words up to the cursor, and offers candidates without their descriptions', async () => {
  expect(await complete('list\tLists CronJobs.\nlint\n:4\n', 'li')).toEqual({
    asked: ['__complete', 'li'],
    offered: 'list lint',
  });
  expect(await complete(':4\n', 'why', '')).toEqual({ asked: ['__complete', 'why', ''], offered: '' });
});

test('bash takes = and : for words of their own; the plugin does not', async () => {
  expect(await complete('json\n:4\n', 'list', '--output', '=', 'j')).toEqual({
    asked: ['__complete', 'list', '--output=j'],
    offered: 'json',
  });
  expect(await complete('json\n:4\n', 'list', '--output', '=')).toMatchObject({
    asked: ['__complete', 'list', '--output='],
  });
  const { asked, offered } = await complete('arn:aws:x\n:4\n', 'list', '--context', '=', 'arn', ':', 'aws', ':');
  expect({ asked, offered }).toEqual({ asked: ['__complete', 'list', '--context=arn:aws:'], offered: 'x' });
});

test('what kubectl runs passes the words on', async () => {
  const folder = folderWithPlugin('list\n:4\n');
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  expect(await run(join(folder, 'kubectl_complete-tcj'), ['list', '-o', ''], { env })).toBe('list\n:4\n');
  expect((await run('cat', [join(folder, 'asked')], {})).split('\n')).toEqual(['__complete', 'list', '-o', '', '']);
});
