import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { run } from '../control-plane/run.ts';
import { installPacked } from './install-packed.ts';
import { packPackage } from './pack-package.ts';

const PROJECT = join(import.meta.dirname, '../..');
const { workspaces }: { workspaces: string[] } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));

/** Compiling, packing and installing; on a machine that does much else as well. */
const TIMEOUT_MS = 300_000;

describe.each(workspaces)('%s, packed and installed into an empty folder', (folder) => {
  test("runs its README's example as the README says, and the types fit", { timeout: TIMEOUT_MS }, async () => {
    const home = temporaryFolder();
    await installPacked(folder, home, temporaryFolder());
    const { code, output, all } = exampleOf(readFileSync(join(PROJECT, folder, 'README.md'), 'utf8'));
    const file = join(home, 'example.mts');
    writeFileSync(file, code);
    expect(await run('node', [file], { cwd: home })).toBe(output);
    writeFileSync(file, all);
    expect(await typeErrors(home, file)).toEqual([]);
  });

  test('holds JavaScript, types and papers, nothing else', { timeout: TIMEOUT_MS }, async () => {
    const output = temporaryFolder();
    const files = (await run('tar', ['-tzf', await packPackage(folder, output)])).trimEnd().split('\n');
    expect(files).toEqual(expect.arrayContaining(['package/index.js', 'package/index.d.ts', 'package/README.md']));
    expect(files.filter((file) => !/\.js$|\.d\.ts$|\/(package\.json|README\.md|LICENSE)$/.test(file))).toEqual([]);
    const { exports } = JSON.parse(readFileSync(join(PROJECT, folder, 'package.json'), 'utf8'));
    const forOurTests = './testing' in exports ? /\.test\.|\/test-support\// : /\.test\.|\/testing\//;
    expect(files.filter((file) => forOurTests.test(file))).toEqual([]);
  });

  test('is not packed from its sources by mistake', async () => {
    const pack = run('npm', ['pack', join(PROJECT, folder), '--pack-destination', temporaryFolder()]);
    await expect(pack).rejects.toThrow('make packages');
  });
});

/**
 * What the compiler has against the file and what it imports, the declarations of our packages among it. Not those of others:
 * client-node brings isomorphic-ws, whose types need those of ws, and does not bring them.
 */
async function typeErrors(home: string, file: string): Promise<readonly string[]> {
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2024,dom'];
  const output = await run('tsc', [...options, file], { cwd: home }).catch((error: Error) => error.message);
  const errors = output.split('\n').filter((line) => /: error TS\d+:/.test(line));
  return errors.filter((line) => !/^node_modules\/(@kubernetes\/client-node|isomorphic-ws)\//.test(line));
}

interface Example {
  /** The first block of TypeScript. */
  readonly code: string;
  /** The block of text after it: what it prints. */
  readonly output: string;
  /** All blocks of TypeScript: each goes on where the one before it ended. */
  readonly all: string;
}

function exampleOf(readme: string): Example {
  const [, code, output] = /^```ts\n(.*?)^```\n.*?^```text\n(.*?)^```\n/ms.exec(readme) ?? [];
  if (code === undefined || output === undefined) throw new Error('the README has no example with its output');
  const all = [...readme.matchAll(/^```ts\n(.*?)^```\n/gms)].map(([, block]) => block).join('\n');
  return { code, output, all };
}
