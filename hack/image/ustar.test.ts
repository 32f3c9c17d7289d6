import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { type Entry, ustar } from './ustar.ts';

const ENTRIES: readonly Entry[] = [
  { kind: 'file', path: 'usr/bin/program', content: Buffer.from('#!/bin/sh\n'), mode: 0o755 },
  { kind: 'folder', path: 'tmp', mode: 0o1777 },
  { kind: 'link', path: 'usr/bin/alias', target: 'program' },
  { kind: 'file', path: 'empty', content: new Uint8Array() },
  { kind: 'file', path: 'block', content: Buffer.alloc(512, 'x') },
];

function list(archive: Buffer): readonly string[] {
  const options = { input: archive, encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } } as const;
  return execFileSync('tar', ['--list', '--verbose', '--numeric-owner', '--file=-'], options)
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +/g, ' '));
}

test('tar reads names, kinds, modes and sizes, of root and without a date', async () => {
  expect(list(await ustar(ENTRIES))).toEqual([
    '-rw-r--r-- 0/0 512 1970-01-01 00:00 block',
    '-rw-r--r-- 0/0 0 1970-01-01 00:00 empty',
    'drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp/',
    'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/',
    'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/bin/',
    'lrwxrwxrwx 0/0 0 1970-01-01 00:00 usr/bin/alias -> program',
    '-rwxr-xr-x 0/0 10 1970-01-01 00:00 usr/bin/program',
  ]);
});

test('tar unpacks what was packed', async () => {
  const folder = temporaryFolder();
  const input = await ustar(ENTRIES);
  execFileSync('tar', ['--extract', '--file=-', `--directory=${folder}`, '--no-same-owner'], { input });
  expect(readdirSync(folder).sort()).toEqual(['block', 'empty', 'tmp', 'usr']);
  expect(readFileSync(join(folder, 'usr/bin/program'), 'utf8')).toBe('#!/bin/sh\n');
  expect(readFileSync(join(folder, 'block'), 'utf8')).toBe('x'.repeat(512));
  expect(readlinkSync(join(folder, 'usr/bin/alias'))).toBe('program');
  expect(lstatSync(join(folder, 'usr/bin')).isDirectory()).toBe(true);
});

test('the order of the entries does not matter', async () => {
  expect((await ustar(ENTRIES.toReversed())).equals(await ustar(ENTRIES))).toBe(true);
});

test('what does not fit the header is neither refused nor cut', async () => {
  const path = 'a'.repeat(101);
  const target = 'b'.repeat(101);
  const archive = await ustar([
    { kind: 'file', path, content: new Uint8Array() },
    { kind: 'link', path: 'link', target },
  ]);
  expect(list(archive)).toEqual([
    `-rw-r--r-- 0/0 0 1970-01-01 00:00 ${path}`,
    `lrwxrwxrwx 0/0 0 1970-01-01 00:00 link -> ${target}`,
  ]);
});
