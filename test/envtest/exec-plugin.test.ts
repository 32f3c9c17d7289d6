/** kubectl tcj and an exec plugin that speaks to a person, at a terminal and without one. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { Scene } from '../support/scene.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROGRAM = resolve(import.meta.dirname, '../../kubectl-tcj/plugin/main.ts');
const PASSWORD = 'open sesame';
const V1 = 'client.authentication.k8s.io/v1';

type Mode = 'Never' | 'IfAvailable' | 'Always';

/** A kubeconfig whose user comes from a shell script. */
function kubeconfigWith(script: string, interactiveMode: Mode): string {
  const folder = temporaryFolder();
  const config = parse(readFileSync(inject('kubeconfig'), 'utf8'));
  const { 'client-certificate-data': cert, 'client-key-data': key } = config.users[0].user;
  const text = (base64: string) => Buffer.from(base64, 'base64').toString();
  const status = { clientCertificateData: text(cert), clientKeyData: text(key) };
  writeFileSync(join(folder, 'answer'), JSON.stringify({ apiVersion: V1, kind: 'ExecCredential', status }));
  const exec = { apiVersion: V1, command: 'sh', args: ['-c', script, join(folder, 'answer')], interactiveMode };
  config.users[0].user = { exec };
  writeFileSync(join(folder, 'config'), JSON.stringify(config));
  return join(folder, 'config');
}

/** Asks on standard error, reads from standard input, and answers only to the password. */
const ASK = `printf 'Password: ' >&2; read -r password; [ "$password" = "${PASSWORD}" ] || { echo 'wrong password' >&2; exit 4; }; cat "$0"`;

interface Ended {
  readonly code: number;
  readonly text: string;
}

function tcjLine(scene: Scene, kubeconfig: string): readonly string[] {
  return [process.execPath, PROGRAM, 'list', '-n', scene.namespace, '--kubeconfig', kubeconfig];
}

/** At a terminal, with what the person types. Standard output and error are one there. */
function atTerminal(line: readonly string[], typed: string): Promise<Ended> {
  const command = line.map((word) => `'${word}'`).join(' ');
  return ended('script', ['--quiet', '--return', '--command', command, '/dev/null'], typed);
}

function ended(program: string, args: readonly string[], input: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(program, [...args], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: `${stdout}${stderr}` }),
    );
    child.stdin?.end(input);
  });
}

test.each<Mode>(['IfAvailable', 'Always'])('asks the person at a terminal with %s', async (mode) => {
  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
  const { code, text } = await atTerminal(tcjLine(scene, kubeconfigWith(ASK, mode)), `${PASSWORD}\n`);
  expect(text).toContain('Password: ');
  expect(text).toMatch(/\bbackup\b/);
  expect(code).toBe(0);
});

test('shows what the plugin says of a wrong password, and fails in one sentence', async () => {
  await using scene = await Scene.open();
  const { code, text } = await atTerminal(tcjLine(scene, kubeconfigWith(ASK, 'Always')), 'guess\n');
  expect(text).toMatch(
    /wrong password\r?\nkubectl tcj list: kubeconfig .*: the exec plugin sh failed with exit code 4/,
  );
  expect(text).not.toMatch(/^\s+at /m);
  expect(code).toBe(1);
});

test('has no standard input for a plugin with Never at a terminal either', async () => {
  await using scene = await Scene.open();
  const { code, text } = await atTerminal(tcjLine(scene, kubeconfigWith(ASK, 'Never')), `${PASSWORD}\n`);
  expect(text).toContain('wrong password');
  expect(code).toBe(1);
});

test('passes on what the plugin says while it waits, such as the code of a device', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
  const says = `echo 'To sign in, open https://login and enter ABCD' >&2; cat "$0"`;
  const [program = '', ...args] = tcjLine(scene, kubeconfigWith(says, 'Never'));
  const { code, text } = await ended(program, args, '');
  expect(text).toContain('To sign in, open https://login and enter ABCD\n');
  expect(text).toMatch(/\bbackup\b/);
  expect(code).toBe(0);
});

test('tells the plugin whether it may ask, as kubectl does', async () => {
  await using scene = await Scene.open();
  const tell = 'echo "told: $KUBERNETES_EXEC_INFO" >&2; exit 1';
  for (const mode of ['Never', 'IfAvailable'] as const) {
    const kubeconfig = kubeconfigWith(tell, mode);
    const told = (text: string) => JSON.parse(/told: (.*)/.exec(text)?.[1] ?? 'null');
    const { text } = await atTerminal(tcjLine(scene, kubeconfig), '');
    const kubectl = await atTerminal([inject('kubectl'), 'get', '--raw', '/version', '--kubeconfig', kubeconfig], '');
    expect(told(text)).toEqual(told(kubectl.text));
    expect(told(text).spec.interactive).toBe(mode !== 'Never');
  }
});
