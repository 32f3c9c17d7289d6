import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { Progress } from '../control-plane/progress.ts';
import { provideChromium } from './provide-chromium.ts';

const quiet = new Progress({ write: () => {} });

/** A machine with these programs, which are shell scripts. */
function machine(scripts: Readonly<Record<string, string>>) {
  const bin = temporaryFolder();
  for (const [name, script] of Object.entries(scripts)) program(join(bin, name), script);
  const provide = (mayInstall: boolean, env: NodeJS.ProcessEnv = {}) =>
    provideChromium({ env: { PATH: bin, ...env }, progress: quiet, mayInstall });
  return { bin, provide };
}

function program(file: string, script = ''): string {
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

test.each(['chromium', 'google-chrome'])('takes the %s of the machine', async (name) => {
  const { bin, provide } = machine({ [name]: '' });
  expect(await provide(false)).toBe(join(bin, name));
});

test('takes the one that it is given, and says so when that is none', async () => {
  const { provide } = machine({ chromium: '' });
  const given = program(join(temporaryFolder(), 'mine'));
  expect(await provide(false, { CHROMIUM: given })).toBe(given);
  await expect(provide(false, { CHROMIUM: '/nowhere/chromium' })).rejects.toThrow('CHROMIUM is /nowhere/chromium');
});

test('installs the Debian package where it may', async () => {
  const calls = join(temporaryFolder(), 'calls');
  const script = `echo "$*" >>'${calls}'; test "$1" = update || { echo '#!/bin/sh' >"\${0%apt-get}chromium"; /bin/chmod +x "\${0%apt-get}chromium"; }`;
  const { bin, provide } = machine({ 'apt-get': script });
  expect(await provide(true)).toBe(join(bin, 'chromium'));
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([
    'update --quiet',
    'install --quiet --yes --no-install-recommends chromium',
  ]);
});

test.each([
  ['may not install', false, { 'apt-get': 'echo >"$0.called"' }],
  ['has no apt-get', true, {}],
  ['cannot reach its packages', true, { 'apt-get': 'exit 100' }],
])('says what is missing where it %s', async (_, mayInstall, scripts) => {
  const { bin, provide } = machine(scripts);
  await expect(provide(mayInstall)).rejects.toThrow('Chromium is missing. Install it: "apt-get install chromium"');
  expect(existsSync(join(bin, 'apt-get.called'))).toBe(false);
});
