import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CronExpressionParser } from 'cron-parser';
import { build } from 'rolldown';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { asciiOnly, lazyBuiltins, smallCronParser, smallPromClient, smallUndici } from './small-bundle.ts';

/** The bundled code of a program, and its path. */
async function buildBundle(source: string) {
  const input = join(import.meta.dirname, 'program.js'); // not a real file: the plugin resolves it
  const program = {
    name: 'program',
    resolveId: (id: string) => (id === input ? id : null),
    load: (id: string) => (id === input ? source : null),
  };
  const { output } = await build({
    input,
    platform: 'node',
    plugins: [program, lazyBuiltins, smallUndici, smallCronParser, smallPromClient, asciiOnly],
    write: false,
    logLevel: 'silent',
  });
  const { code } = output[0];
  const file = join(createTemporaryFolder(), 'bundle.mjs');
  writeFileSync(file, code);
  return { code, load: () => import(pathToFileURL(file).href) };
}

test('an import of a removed part of undici fails the build', async () => {
  await expect(buildBundle('import { RetryAgent } from "undici"; console.log(RetryAgent);')).rejects.toThrow(
    'RetryAgent',
  );
});

test("a dispatcher in the bundle has every method of undici's own", async () => {
  const { load } = await buildBundle('export { Agent, Pool, ProxyAgent } from "undici";');
  const small = await load();
  const whole = await import('undici');
  for (const name of ['Agent', 'Pool', 'ProxyAgent'] as const) {
    expect(listMethods(small[name].prototype)).toEqual(listMethods(whole[name].prototype));
  }
});

test('an import of a removed part of cron-parser fails the build', async () => {
  await expect(buildBundle('import { CronDate } from "cron-parser"; console.log(CronDate);')).rejects.toThrow(
    'CronDate',
  );
});

test('the parser of fields in the bundle gives the same values as cron-parser, without luxon', async () => {
  const { code, load } = await buildBundle('export { CronExpressionParser } from "cron-parser";');
  expect(code).not.toContain('luxon');
  const small = await load();
  for (const text of ['*/5 1-3,22 * jan 1-5', '0 0 28-31 2 *', '0 0 1,15 1-12/5 0-6', '1,1 * * * *', '60 * * * *'])
    expect(parseFields(small.CronExpressionParser, text)).toEqual(parseFields(CronExpressionParser, text));
});

test('an import of a removed part of prom-client fails the build', async () => {
  await expect(buildBundle('import { Summary } from "prom-client"; console.log(Summary);')).rejects.toThrow('Summary');
});

test('the metrics in the bundle are those of prom-client, without its dependencies', async () => {
  const { code, load } = await buildBundle('export { Histogram, Registry, collectDefaultMetrics } from "prom-client";');
  expect(code).not.toMatch(/tdigest|bintrees|opentelemetry\/api\/build/i);
  expect(await renderMetrics(await load())).toEqual(await renderMetrics(requireByRuntime('prom-client')));
});

test("a bundle has no static import of Node's modules, and works with them", async () => {
  const { code, load } = await buildBundle(`
    import path, { join } from 'node:path';
    import * as os from 'os';
    import { createServer } from 'node:http';
    export const found = [path.sep, join('a', 'b'), typeof os.hostname, typeof createServer];
  `);
  expect(code).not.toMatch(/^import /m);
  expect((await load()).found).toEqual(['/', 'a/b', 'function', 'function']);
});

test('an import that a Node module does not export fails the build', async () => {
  await expect(buildBundle('import { jion } from "node:path"; jion();')).rejects.toThrow('jion');
});

/** The used part of prom-client, on which only runtime/ depends. */
interface PromClient {
  readonly Histogram: new (options: object) => { observe(value: number): void };
  readonly Registry: new () => { metrics(): Promise<string> };
  readonly collectDefaultMetrics: (options: object) => void;
}

const requireByRuntime = createRequire(new URL('../../runtime/package.json', import.meta.url));

/** Renders a scrape without the measured values. */
async function renderMetrics({ Histogram, Registry, collectDefaultMetrics }: PromClient): Promise<string> {
  const register = new Registry();
  new Histogram({ name: 'latency', help: 'Latency.', buckets: [1, 5], registers: [register] }).observe(3);
  collectDefaultMetrics({ register });
  return (await register.metrics()).replace(/(?<=^(?:process|nodejs)_\S+ ).*$/gm, '<value>');
}

function parseFields(parser: typeof CronExpressionParser, text: string): unknown {
  try {
    const { minute, hour, dayOfMonth, month, dayOfWeek } = parser.parse(text).fields;
    return [minute, hour, dayOfMonth, month, dayOfWeek].map(({ values }) => values);
  } catch (error) {
    return String(error);
  }
}

function listMethods(prototype: object): readonly string[] {
  const names: string[] = [];
  for (let current = prototype; current !== Object.prototype; current = Object.getPrototypeOf(current))
    names.push(...Object.getOwnPropertyNames(current));
  return [...new Set(names)].sort();
}
