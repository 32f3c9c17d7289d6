import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { Progress } from '../control-plane/progress.ts';
import { providePrometheus } from './provide-prometheus.ts';

const quiet = new Progress({ write: () => {} });

/** A machine with these programs, which are shell scripts, and with a cache folder. */
function machine(scripts: Readonly<Record<string, string>>) {
  const [bin, caches] = [temporaryFolder(), temporaryFolder()];
  for (const [name, script] of Object.entries(scripts)) program(bin, name, script);
  const provide = () => providePrometheus({ env: { PATH: bin, XDG_CACHE_HOME: caches }, progress: quiet });
  return { bin, cache: join(caches, 'cronjob-operator/prometheus'), provide };
}

function program(folder: string, name: string, script = ''): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** As apt-get and dpkg-deb do it. @param calls Path of the file that then has what they were called with. */
const debian = (calls: string) => ({
  'apt-get': `echo "apt-get $*" >>'${calls}'; test "$1" = update || : >prometheus_1_amd64.deb`,
  'dpkg-deb':
    `echo "dpkg-deb $*" >>'${calls}'; PATH=/usr/bin:/bin; mkdir -p "$3/usr/bin"; ` +
    'for program in prometheus promtool; do cp "$0" "$3/usr/bin/$program"; done',
});

test('takes what the machine has', async () => {
  const { bin, provide } = machine({ prometheus: '', promtool: '' });
  expect(await provide()).toBe(bin);
});

test('takes what the cache has', async () => {
  const { cache, provide } = machine({});
  for (const name of ['prometheus', 'promtool']) program(cache, name);
  expect(await provide()).toBe(cache);
});

test('unpacks the Debian package once, installs nothing, and leaves nothing else behind', async () => {
  const calls = join(temporaryFolder(), 'calls');
  const { cache, provide } = machine(debian(calls));
  expect(await provide()).toBe(cache);
  expect(await provide()).toBe(cache);
  expect(readdirSync(cache).toSorted()).toEqual(['prometheus', 'promtool']);
  const called = readFileSync(calls, 'utf8').trim().split('\n');
  expect(called.filter((call) => !call.includes('update'))).toEqual([
    'apt-get download --quiet prometheus',
    'dpkg-deb --extract prometheus_1_amd64.deb unpacked',
  ]);
});

test.each([
  ['has no apt-get', {}],
  ['cannot reach its packages', { 'apt-get': 'echo "Unable to locate package" >&2; exit 100' }],
])('says what is missing on a machine that %s', async (_, scripts) => {
  const { cache, provide } = machine(scripts);
  await expect(provide()).rejects.toThrow('prometheus and promtool are missing. Install them: "apt-get install');
  expect(readdirSync(cache)).toEqual([]);
});
