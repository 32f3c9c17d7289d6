import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../../hack/control-plane/run.ts';
import { findNodeRuntime, listRuntimeFiles } from '../../../hack/image/runtime-files.ts';
import { createTar } from '../../../hack/image/tar.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const BUILD = [process.execPath, join(process.cwd(), 'hack/image/build.ts'), 'name:tag'] as const;

test('two builds in different folders and with different permissions have the same bytes', async () => {
  const folder = createTemporaryFolder();
  const build = async (file: string, umask: string, cwd: string) => {
    await run('sh', ['-c', `umask ${umask}; exec "$@"`, 'build', ...BUILD, join(folder, file)], { cwd });
    return createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
  };
  const first = await build('first.tar', '022', process.cwd());
  expect(await build('second.tar', '077', folder)).toBe(first);
  expect(statSync(join(folder, 'first.tar')).size).toBeLessThan(60e6); // size of the pull of a node; 49 MB at the time of writing
});

/** A small program instead of Node: linked in the same way, and quick to pack. */
const PROGRAM = '/bin/ls';

test('has the files of distroless images at the same paths', () => {
  const paths = listRuntimeFiles(findNodeRuntime(PROGRAM)).map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'nodejs/bin/node',
      'etc/passwd',
      'etc/group',
      'etc/nsswitch.conf',
      'etc/ssl/certs/ca-certificates.crt',
      'tmp',
    ]),
  );
  expect(paths).toContainEqual(expect.stringMatching(/^lib\/.+\/libc\.so\.6$/));
  expect(paths).toContainEqual(expect.stringMatching(/^lib(64)?\/ld-linux-.+\.so\.\d$/));
  expect(paths.filter((path) => /\/(sh|bash|busybox)$/.test(path))).toEqual([]);
  expect(new Set(paths).size).toBe(paths.length);
});

test('has every library that the program is linked with', () => {
  const packagedLibraries = execFileSync('ldd', [PROGRAM], { encoding: 'utf8' });
  const linkedLibraries = [...packagedLibraries.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path.slice(1));
  expect(linkedLibraries.length).toBeGreaterThan(2);
  expect(listRuntimeFiles(findNodeRuntime(PROGRAM)).map(({ path }) => path)).toEqual(
    expect.arrayContaining(linkedLibraries),
  );
});

test('has the user 65532 and certificate authorities', () => {
  const files = new Map(
    listRuntimeFiles(findNodeRuntime(PROGRAM)).map((entry) => [
      entry.path,
      entry.kind === 'file' ? Buffer.from(entry.content).toString() : '',
    ]),
  );
  expect(files.get('etc/passwd')).toMatch(/^nonroot:x:65532:65532:/m);
  expect(files.get('etc/ssl/certs/ca-certificates.crt')?.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(50);
});

test('the build refuses a program that is not linked with glibc', () => {
  expect(() => findNodeRuntime('package.json')).toThrow('not a dynamic executable');
});

test('the Dockerfile gets the same files', async () => {
  const [packed, written] = [createTemporaryFolder(), createTemporaryFolder()];
  const input = await createTar(listRuntimeFiles(findNodeRuntime(process.execPath)));
  execFileSync('tar', ['-xpf', '-', '-C', packed, '--no-same-owner'], { input });
  execFileSync(process.execPath, ['hack/image/write-runtime-files.ts', written]);
  execFileSync('diff', ['--recursive', '--no-dereference', packed, written]);
  for (const path of ['nodejs/bin/node', 'etc/passwd', 'tmp']) {
    expect(lstatSync(join(written, path)).mode, path).toBe(lstatSync(join(packed, path)).mode);
  }
  expect(readFileSync(join(written, 'etc/group'), 'utf8')).toContain('nonroot:x:65532:');
});

test('the files that .dockerignore admits are enough to build the bundle and the runtime', async () => {
  const folder = createTemporaryFolder();
  const context = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'));
  for (const path of context.map((line) => line.slice(1))) cpSync(path, join(folder, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  await run('npm', ['run', '--silent', 'build'], { cwd: folder });
  const version = await run(process.execPath, [join(folder, 'dist/manager.mjs'), '--version']);
  expect(version).toBe(`${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`);
  // The stage that creates the runtime has only this folder.
  const stage = createTemporaryFolder();
  cpSync(join(folder, 'hack/image'), join(stage, 'hack/image'), { recursive: true });
  await run(process.execPath, ['hack/image/write-runtime-files.ts', join(stage, 'runtime')], { cwd: stage });
  expect(existsSync(join(stage, 'runtime/nodejs/bin/node'))).toBe(true);
});
