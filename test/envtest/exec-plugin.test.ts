/** kubectl tcj and an exec plugin that prompts the user, at a terminal and without one. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { Scene } from '../support/scene.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const PROGRAM = resolve(import.meta.dirname, '../../kubectl-tcj/plugin/main.ts');
/** The tool of util-linux that gives a program a terminal. */
const TERMINAL = 'script';
const PASSWORD = 'open sesame';
const V1 = 'client.authentication.k8s.io/v1';

type PluginMode = 'Never' | 'IfAvailable' | 'Always';

/** A kubeconfig with a shell script as the exec plugin of its user. */
function writeKubeconfig(script: string, interactiveMode: PluginMode): string {
  const folder = createTemporaryFolder();
  const config = parse(readFileSync(inject('kubeconfig'), 'utf8'));
  const { certPem: clientCertificateData, keyPem: clientKeyData } = inject('apiServer');
  const status = { clientCertificateData, clientKeyData };
  writeFileSync(join(folder, 'answer'), JSON.stringify({ apiVersion: V1, kind: 'ExecCredential', status }));
  const exec = { apiVersion: V1, command: 'sh', args: ['-c', script, join(folder, 'answer')], interactiveMode };
  config.users[0].user = { exec };
  writeFileSync(join(folder, 'config'), JSON.stringify(config));
  return join(folder, 'config');
}

/** Prompts on standard error, reads from standard input, and returns credentials only for the password. */
const ASK = `printf 'Password: ' >&2; read -r password; [ "$password" = "${PASSWORD}" ] || { echo 'wrong password' >&2; exit 4; }; cat "$0"`;

interface ExitResult {
  readonly code: number;
  readonly text: string;
}

function createCommand(scene: Scene, kubeconfig: string): readonly string[] {
  return [process.execPath, PROGRAM, 'list', '-n', scene.namespace, '--kubeconfig', kubeconfig];
}

/** Runs at a terminal, with the input of the user. Standard output and standard error are the same there. */
function runAtTerminal(line: readonly string[], keystrokes: string): Promise<ExitResult> {
  const command = line.map((word) => `'${word}'`).join(' ');
  const args = ['--quiet', '--return', '--command', command, '/dev/null'];
  return new Promise((resolve) => {
    const child = execFile(TERMINAL, args, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: `${stdout}${stderr}` }),
    );
    child.stdin?.end(keystrokes);
  });
}

const WRONG = /wrong password\r?\nkubectl tcj list: kubeconfig .*: the exec plugin sh failed with exit code 4/;
const DEVICE = `echo 'To sign in, open https://login and enter ABCD' >&2; cat "$0"`;

test.each<readonly [what: string, PluginMode, script: string, typed: string, code: number, text: RegExp]>([
  ['prompts the user with IfAvailable', 'IfAvailable', ASK, `${PASSWORD}\n`, 0, /^Password: [\s\S]*\bbackup\b/m],
  ['prompts the user with Always', 'Always', ASK, `${PASSWORD}\n`, 0, /^Password: [\s\S]*\bbackup\b/m],
  [
    'shows the message of the plugin about a wrong password, and fails in one sentence',
    'Always',
    ASK,
    'guess\n',
    1,
    WRONG,
  ],
  ['gives a plugin with Never no standard input', 'Never', ASK, `${PASSWORD}\n`, 1, /wrong password/],
  ['shows the messages of the plugin, such as a device code', 'Never', DEVICE, '', 0, /^To .* ABCD\r?\n[\s\S]*backup/],
])('at a terminal it %s', async (_, mode, script, typed, code, text) => {
  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
  const ended = await runAtTerminal(createCommand(scene, writeKubeconfig(script, mode)), typed);
  expect(ended).toEqual({ code, text: expect.stringMatching(text) });
  expect(ended.text).not.toMatch(/^\s+at /m);
});

test('passes to the plugin whether it may prompt, as kubectl does', async () => {
  await using scene = await Scene.open();
  const printInfoScript = 'echo "info: $KUBERNETES_EXEC_INFO" >&2; exit 1';
  for (const mode of ['Never', 'IfAvailable'] as const) {
    const kubeconfig = writeKubeconfig(printInfoScript, mode);
    const parseInfo = (text: string) => JSON.parse(/info: (.*)/.exec(text)?.[1] ?? 'null');
    const { text } = await runAtTerminal(createCommand(scene, kubeconfig), '');
    const kubectl = await runAtTerminal(
      [inject('kubectl'), 'get', '--raw', '/version', '--kubeconfig', kubeconfig],
      '',
    );
    expect(parseInfo(text)).toEqual(parseInfo(kubectl.text));
    expect(parseInfo(text).spec.interactive).toBe(mode !== 'Never');
  }
});
