/** Bundles of the packed package for browsers: their size, and that they contain cron-parser without luxon. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'rolldown';
import { beforeAll, describe, expect, test } from 'vitest';
import { run } from '../hack/control-plane/run.ts';
import { installPacked } from '../test/packages/install-packed.ts';
import { createTemporaryFolderForFile } from '../test/support/temporary-folder.ts';
import { parseSchedule } from './index.ts';
import { readAcceptanceRows } from './testing/golden.ts';

const home = join(createTemporaryFolderForFile(), 'home');
const entry = join(home, 'entry.js');

beforeAll(async () => {
  mkdirSync(home);
  await installPacked('schedule', home, join(home, '../output'));
  writeFileSync(entry, "export * from 'kubernetes-cron-schedule';");
});

/** Each bundles the entry into a minified file, and returns the paths of the modules in the bundle. */
const BUNDLERS: Readonly<Record<string, (file: string) => Promise<readonly string[]>>> = {
  async esbuild(file) {
    const metafile = `${file}.json`;
    const options = ['--bundle', '--minify', '--format=esm', `--outfile=${file}`, `--metafile=${metafile}`];
    await run('esbuild', [entry, ...options]);
    return Object.keys(JSON.parse(readFileSync(metafile, 'utf8')).inputs);
  },
  async Rolldown(file) {
    const options = { input: entry, platform: 'browser', output: { file, minify: true } } as const;
    const { output } = await build(options);
    return Object.keys(output[0].modules);
  },
};

describe.each(Object.entries(BUNDLERS))('%s', (name, bundle) => {
  const file = join(home, `${name}.mjs`);
  let modules: readonly string[] = [];
  beforeAll(async () => {
    modules = await bundle(file);
  });

  test('leaves out luxon and the rest of cron-parser', () => {
    expect(modules).toContainEqual(expect.stringMatching(/kubernetes-cron-schedule\/cron-parser\.js$/));
    expect(modules.filter((path) => /node_modules\/(?:luxon|cron-parser)\//.test(path))).toEqual([]);
  });

  test('has the size in the README, with a kilobyte of leeway', () => {
    const code = readFileSync(file);
    const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    const [, size, zippedSize] =
      new RegExp(`\\| ${name} [\\d.]+ +\\| (\\d+) KB +\\| (\\d+) KB +\\|`).exec(readme) ?? [];
    expect(Math.abs(code.length / 1000 - Number(size))).toBeLessThan(1);
    expect(Math.abs(gzipSync(code).length / 1000 - Number(zippedSize))).toBeLessThan(1);
  });

  test('gives the same results as the package, for every text of the oracle', async () => {
    const bundled: { parseSchedule: typeof parseSchedule } = await import(pathToFileURL(file).href);
    const different = [...getExpected()].filter(([text, json]) => summarize(bundled.parseSchedule, text) !== json);
    expect(different).toEqual([]);
  });
});

let expectedByText: ReadonlyMap<string, string> | undefined;

/** The results of the package, which both bundles need. */
function getExpected(): ReadonlyMap<string, string> {
  expectedByText ??= new Map([...readAcceptanceRows()].map(({ text }) => [text, summarize(parseSchedule, text)]));
  return expectedByText;
}

function summarize(parse: typeof parseSchedule, text: string): string {
  const parsed = parse(text, { timeZone: 'Europe/Berlin' });
  if (parsed.kind === 'invalid') return JSON.stringify(parsed);
  const { schedule } = parsed;
  return JSON.stringify([schedule.fields, schedule.describe(), schedule.take(2, new Date('2026-01-01T00:00:00Z'))]);
}
