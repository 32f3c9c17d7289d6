import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { asciiOnly, lateBuiltins, smallUndici } from './small-bundle.ts';

/** The bundled code of a program, and its path. */
async function bundled(source: string) {
  const input = join(import.meta.dirname, 'program.js'); // not a real file: the plugin resolves it
  const program = {
    name: 'program',
    resolveId: (id: string) => (id === input ? id : null),
    load: (id: string) => (id === input ? source : null),
  };
  const { output } = await build({
    input,
    platform: 'node',
    plugins: [program, lateBuiltins, smallUndici, asciiOnly],
    write: false,
    logLevel: 'silent',
  });
  const { code } = output[0];
  const file = join(temporaryFolder(), 'bundle.mjs');
  writeFileSync(file, code);
  return { code, load: () => import(pathToFileURL(file).href) };
}

test('an import of undici that the bundle would lack fails the build', async () => {
  await expect(bundled('import { RetryAgent } from "undici"; console.log(RetryAgent);')).rejects.toThrow('RetryAgent');
});

test("a dispatcher of undici has each method that undici's own have", async () => {
  const { load } = await bundled('export { Agent, Pool, ProxyAgent } from "undici";');
  const small = await load();
  const whole = await import('undici');
  for (const name of ['Agent', 'Pool', 'ProxyAgent'] as const) {
    expect(methodsOf(small[name].prototype)).toEqual(methodsOf(whole[name].prototype));
  }
});

test("a bundle links none of Node's modules, and has what it imports from them", async () => {
  const { code, load } = await bundled(`
    import path, { join } from 'node:path';
    import * as os from 'os';
    import { createServer } from 'node:http';
    export const found = [path.sep, join('a', 'b'), typeof os.hostname, typeof createServer];
  `);
  expect(code).not.toMatch(/^import /m);
  expect((await load()).found).toEqual(['/', 'a/b', 'function', 'function']);
});

test("an import of one of Node's modules that it does not have fails the build", async () => {
  await expect(bundled('import { jion } from "node:path"; jion();')).rejects.toThrow('jion');
});

function methodsOf(prototype: object): readonly string[] {
  const names: string[] = [];
  for (let each = prototype; each !== Object.prototype; each = Object.getPrototypeOf(each))
    names.push(...Object.getOwnPropertyNames(each));
  return [...new Set(names)].sort();
}
