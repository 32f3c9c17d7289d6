/** The checks and texts of a release; test/clients/release.test.ts builds and installs one. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createTemporaryFolder, createTemporaryFolderForFile } from '../../test/support/temporary-folder.ts';
import { run } from '../control-plane/run.ts';
import {
  checkAddresses,
  checkCommitted,
  checkOutput,
  checkPackagedPages,
  checkSigning,
  checkVersions,
} from './checks.ts';
import { createReleaseNotes } from './notes.ts';
import { checkSemver, findOtherVersions, setVersion } from './version.ts';

const PROJECT = join(import.meta.dirname, '../..');

describe('versions', () => {
  test('all files have the version of package.json', () => {
    expect(findOtherVersions(PROJECT, packageJson.version)).toEqual([]);
  });

  test('set-version sets the version in all files, and changes nothing else', () => {
    const folder = createTemporaryFolder();
    const files = findOtherVersions(PROJECT, '9.9.9');
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(PROJECT, file), join(folder, file));
    }
    expect(() => checkVersions(folder, '9.9.9-rc.1')).toThrow('run "make set-version VERSION=9.9.9-rc.1" and commit');
    setVersion(folder, '9.9.9-rc.1');
    checkVersions(folder, '9.9.9-rc.1');
    setVersion(folder, packageJson.version);
    for (const file of files)
      expect(readFileSync(join(folder, file), 'utf8')).toBe(readFileSync(join(PROJECT, file), 'utf8'));
  });

  test('set-version leaves no page or Dockerfile with the name of an old tarball', async () => {
    const folder = createTemporaryFolder();
    const files = (await run('git', ['ls-files', '*.md', '*Dockerfile'], { cwd: PROJECT })).trimEnd().split('\n');
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(PROJECT, file), join(folder, file));
    }
    setVersion(folder, '9.9.9');
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    expect(files.filter((file) => read(file).includes(`-${packageJson.version}.tgz`))).toEqual([]);
    expect(files.filter((file) => read(file).includes(`make release VERSION=${packageJson.version}`))).toEqual([]);
    expect(read('docs/book/01-project.md')).toContain('cp ../kubernetes-cron-schedule-9.9.9.tgz .');
  });

  test.each(['1.2', 'v1.2.3', '1.2.3+build', '01.2.3', '1.2.3-', ''])('rejects %j', (version) => {
    expect(() => checkSemver(version)).toThrow(`"${version}" is not a valid version: set VERSION`);
  });

  test.each(['1.2.3', '0.1.0', '1.2.3-rc.1'])('accepts %s', (version) => {
    expect(() => checkSemver(version)).not.toThrow();
  });
});

test.each([
  { image: 'cronjob-operator', repository: 'https://a.example/b', error: 'IMAGE is "cronjob-operator": set it' },
  { image: 'a.example/b:1', repository: 'https://a.example/b', error: 'IMAGE is "a.example/b:1": set it' },
  { image: 'a.example/b', repository: '', error: 'REPOSITORY is "": set it' },
  { image: 'a.example/b', repository: 'https://a.example/b/', error: 'REPOSITORY is "https://a.example/b/": set it' },
])('rejects the image $image with the repository "$repository"', ({ error, ...addresses }) => {
  expect(() => checkAddresses(addresses)).toThrow(error);
});

test('rejects files that are not committed', async () => {
  const folder = createTemporaryFolder();
  await run('git', ['init', '--quiet', folder]);
  await checkCommitted(folder);
  writeFileSync(join(folder, 'new.ts'), '');
  await expect(checkCommitted(folder)).rejects.toThrow('commit these changes, or set DRY_RUN=1\n?? new.ts');
});

describe('the pages of the npm packages', () => {
  const createProject = (files: Readonly<Record<string, string>>) => {
    const folder = createTemporaryFolder();
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    return folder;
  };

  test.each([
    ['api/README.md', 'The package is not on a registry yet.'],
    ['create-controller-runtime/README.md', 'When the packages are on a registry, the command is:'],
    ['create-controller-runtime/template/README.md', 'The packages are not on a registry yet.'],
    ['docs/kubectl-tcj.md', '**The project has\nno release yet**'],
    ['runtime/CHANGELOG.md', '# Changelog\n\n## 1.2.0 (unreleased)\n'],
    ['runtime/docs/testing.md', 'The packages are not\non a registry yet.'],
    ['schedule/README.md', 'The package is not in the npm registry yet.'],
  ])('%s must not say: %s', (file, text) => {
    expect(() => checkPackagedPages(createProject({ [file]: text }))).toThrow(`or set DRY_RUN=1\n  ${file}`);
  });

  test('may describe registries and releases', () => {
    const readme = '`npm install controller-runtime` installs the newest release from the registry.';
    checkPackagedPages(
      createProject({ 'runtime/README.md': readme, 'runtime/CHANGELOG.md': '# Changelog\n\n## 1.2.0\n' }),
    );
  });
});

test('the output folder may be absent, empty or a release, because it is deleted', () => {
  const folder = createTemporaryFolder();
  checkOutput(join(folder, 'absent'));
  checkOutput(folder);
  writeFileSync(join(folder, 'letter.txt'), '');
  expect(() => checkOutput(folder)).toThrow('whose files are not a release: set it to a new or an empty folder');
  writeFileSync(join(folder, 'SHA256SUMS'), '');
  checkOutput(folder);
});

describe('release notes', () => {
  const options = { version: '1.2.0', repository: 'https://a.example/b', acceptsUnreleased: false };
  const changelog =
    '# Changelog\n\n## 1.2.0\n\n- See [a](docs/a.md) and [b](https://b.example).\n\n## 1.1.0\n\n- Old\n';

  test('are the newest section of the changelog, with absolute links', () => {
    expect(createReleaseNotes(changelog, options)).toBe(
      '- See [a](https://a.example/b/blob/v1.2.0/docs/a.md) and [b](https://b.example).\n',
    );
  });

  test('require the heading of the version, and accept an unreleased one only in a dry run', () => {
    const unreleased = changelog.replace('## 1.2.0', '## Unreleased: 1.2.0');
    expect(createReleaseNotes(unreleased, { ...options, acceptsUnreleased: true })).toMatch(/^- See/);
    expect(() => createReleaseNotes(unreleased, options)).toThrow(
      'the newest heading of CHANGELOG.md is "## Unreleased: 1.2.0": change it to "## 1.2.0" and commit',
    );
    expect(() => createReleaseNotes(changelog, { ...options, version: '1.3.0' })).toThrow('change it to "## 1.3.0"');
  });
});

describe('a key for signatures', () => {
  const caller = createTemporaryFolderForFile();
  writeFileSync(join(caller, 'cosign.key'), '');
  const key = { COSIGN_KEY: 'cosign.key' };
  /** A folder with a program that has the name of cosign. */
  const createPath = (script: string) => {
    const folder = createTemporaryFolderForFile();
    writeFileSync(join(folder, 'cosign'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return folder;
  };
  const signing = { COSIGN_PASSWORD: '', PATH: createPath('exit 0') };

  test.each([
    ['no password', key, 'set it to the password of the key'],
    ['no file', { ...signing, COSIGN_KEY: 'absent.key' }, `but ${join(caller, 'absent.key')} does not exist`],
    ['no cosign', { ...signing, ...key, PATH: createTemporaryFolderForFile() }, 'install cosign'],
    ['a cosign that fails', { ...signing, ...key, PATH: createPath('exit 1') }, 'install cosign'],
  ])('is refused with %s', async (_, env, message) => {
    await expect(checkSigning(env, caller)).rejects.toThrow(message);
  });

  test('is absent without COSIGN_KEY', async () => {
    expect(await checkSigning({}, caller)).toBeUndefined();
  });

  test.each([
    ['relative', 'cosign.key'],
    ['absolute', join(caller, 'cosign.key')],
  ])('is found at a path that is %s', async (_, COSIGN_KEY) => {
    expect(await checkSigning({ ...signing, COSIGN_KEY }, caller)).toBe(join(caller, 'cosign.key'));
  });

  test.each(['awskms:///alias/a', 'env://KEY', 'k8s://ops/cosign', 'hashivault://a', 'pkcs11:token=a;id=1'])(
    'at the URI %s stays unchanged',
    async (COSIGN_KEY) => {
      expect(await checkSigning({ ...signing, COSIGN_KEY }, caller)).toBe(COSIGN_KEY);
    },
  );
});
