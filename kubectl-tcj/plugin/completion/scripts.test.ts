import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../../hack/control-plane/run.ts';
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { QUOTED_COMPLETION_REQUEST } from './completion-requests.ts';
import { SCRIPTS } from './scripts.ts';

/** A folder with the program that a shell calls for completion: `kubectl-tcj`, which prints `answer` and records its arguments. */
function folderWithPlugin(answer: string): string {
  const folder = createTemporaryFolder();
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" >'${folder}/asked'\ncat '${folder}/answer'\n`;
  writeFileSync(join(folder, 'answer'), answer);
  writeFileSync(join(folder, 'kubectl-tcj'), script);
  writeFileSync(join(folder, 'kubectl_complete-tcj'), SCRIPTS.kubectl);
  for (const name of ['kubectl-tcj', 'kubectl_complete-tcj']) chmodSync(join(folder, name), 0o755);
  return folder;
}

/** The candidates of bash, on one line, and the arguments of the plugin. */
async function complete(answer: string, ...words: readonly string[]) {
  const folder = folderWithPlugin(answer);
  const lines = [
    SCRIPTS.bash,
    // bash calls the function of `complete -F` with these variables.
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

test('bash sends the words up to the cursor, and offers candidates without descriptions', async () => {
  expect(await complete('list\tLists CronJobs.\nlint\n:4\n', 'li')).toEqual({
    asked: [QUOTED_COMPLETION_REQUEST, 'li'],
    offered: 'list lint',
  });
  expect(await complete(':4\n', 'why', '')).toEqual({ asked: [QUOTED_COMPLETION_REQUEST, 'why', ''], offered: '' });
});

test('bash splits words at = and :, the plugin does not', async () => {
  expect(await complete('json\n:4\n', 'list', '--output', '=', 'j')).toEqual({
    asked: [QUOTED_COMPLETION_REQUEST, 'list', '--output=j'],
    offered: 'json',
  });
  expect(await complete('json\n:4\n', 'list', '--output', '=')).toMatchObject({
    asked: [QUOTED_COMPLETION_REQUEST, 'list', '--output='],
  });
  const { asked, offered } = await complete('arn:aws:x\n:4\n', 'list', '--context', '=', 'arn', ':', 'aws', ':');
  expect({ asked, offered }).toEqual({
    asked: [QUOTED_COMPLETION_REQUEST, 'list', '--context=arn:aws:'],
    offered: 'x',
  });
});

test('bash unquotes the typed words, and quotes candidates', async () => {
  const { asked, offered } = await complete('my ctx;touch x\n:4\n', 'list', '--context', 'my\\ c');
  expect({ asked, offered }).toEqual({
    asked: [QUOTED_COMPLETION_REQUEST, 'list', '--context', 'my c'],
    offered: 'my\\ ctx\\;touch\\ x',
  });
});

/** The output after a user at a terminal types these lines into bash; `\t` is TAB. */
async function typed(answer: string, ...lines: readonly string[]): Promise<readonly string[]> {
  const folder = folderWithPlugin(answer);
  const rc = join(folder, 'bashrc');
  writeFileSync(rc, SCRIPTS.bash);
  const keys = [`cd '${folder}'`, ...lines, 'exit', ''].join('\n');
  writeFileSync(join(folder, 'keys'), keys);
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, TERM: 'dumb', HISTFILE: '/dev/null' };
  const bash = `bash --noprofile --rcfile '${rc}' -i`;
  await run('sh', ['-c', `script --quiet --return --command "${bash}" /dev/null <'${folder}/keys'`], { env });
  return readdirSync(folder);
}

test.each(['x;touch made', '$(touch made)', '`touch made`', 'x&touch made', 'x\\;touch made', "'x;touch made"])(
  'TAB in bash puts a candidate into the line as one word (%j)',
  async (name) => {
    const found = await typed(`${name}\n:4\n`, 'kubectl-tcj list --context \t');
    expect(found).toContain('asked');
    expect(found).not.toContain('made');
  },
);

test('the script for kubectl passes the words on', async () => {
  const folder = folderWithPlugin('list\n:4\n');
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  expect(await run(join(folder, 'kubectl_complete-tcj'), ['list', '-o', ''], { env })).toBe('list\n:4\n');
  expect((await run('cat', [join(folder, 'asked')], {})).split('\n')).toEqual(['__complete', 'list', '-o', '', '']);
});
