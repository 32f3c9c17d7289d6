import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { revision } from './revision.ts';

test('the revision is the commit, whatever tags it has, and says when files differ from it', () => {
  const folder = temporaryFolder();
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.test', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet');
  writeFileSync(join(folder, 'file'), 'one');
  git('add', 'file');
  git('commit', '--quiet', '--no-gpg-sign', '--message=one');
  git('tag', 'v1');
  const commit = git('rev-parse', 'HEAD');
  expect(revision(folder)).toBe(commit);
  writeFileSync(join(folder, 'file'), 'two');
  expect(revision(folder)).toBe(`${commit}-dirty`);
});

test('outside of a repository there is none', () => {
  expect(revision(temporaryFolder())).toBe('');
});
