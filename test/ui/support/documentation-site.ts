/** Builds the documentation site, and serves the built files below a path, as the pages of a forge do. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';

const FOLDER = resolve('coverage/site');
const BASE = '/operator/';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
};
/** Variables of vitest that also mean something to Astro, which would build a site without search. */
const VITEST_VARIABLES = { BASE_URL: undefined, DEV: undefined, MODE: undefined, NODE_ENV: undefined, PROD: undefined };

export interface DocumentationSite {
  readonly origin: string;
  /** Address of the home page, with a slash at the end. */
  readonly home: string;
  /** Addresses of all files. A page ends with a slash. */
  readonly files: readonly string[];
  readonly pages: readonly string[];
}

/** Provides the site to the tests of the file. */
export function useDocumentationSite(): () => DocumentationSite {
  let site: DocumentationSite | undefined;
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname;
    const file = join(FOLDER, path.slice(BASE.length), path.endsWith('/') ? 'index.html' : '');
    try {
      if (!path.startsWith(BASE)) throw new Error(`${path} is not below ${BASE}`);
      const content = readFileSync(file);
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  beforeAll(async () => {
    const env = { ...process.env, ...VITEST_VARIABLES, SITE_URL: `http://localhost${BASE}` };
    await promisify(execFile)('make', ['site', `SITE_FOLDER=${FOLDER}`], { env });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const home = origin + BASE;
    const files = globSync('**/*.*', { cwd: FOLDER }).map((file) => home + file.replace(/(^|\/)index\.html$/, '$1'));
    site = { origin, home, files, pages: files.filter((file) => file.endsWith('/')) };
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => {
    if (site === undefined) throw new Error('the site is not built');
    return site;
  };
}
