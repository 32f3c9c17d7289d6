/** Builds two versions of the documentation site as docs.yaml does, and serves the files below a path, as the pages of a forge do. */
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
/** Variables of vitest that change what Astro does: with them, it builds no search and serves no page. */
const VITEST_VARIABLES = ['BASE_URL', 'DEV', 'MODE', 'NODE_ENV', 'PROD', 'VITEST'];
/** The environment for `make docs` and `make site`. */
export const SITE_ENV: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !VITEST_VARIABLES.includes(name)),
);
/** The version whose pages are in a folder of the site. */
export const RELEASE = 'v1.2.0';

export interface DocumentationSite {
  readonly origin: string;
  /** Address of the home page, with a slash at the end. */
  readonly home: string;
  /** Addresses of the files of both versions. A page ends with a slash. */
  readonly files: readonly string[];
  /** Addresses of the pages that are not released. */
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
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const home = origin + BASE;
    const build = (folder: string, version: object) => {
      const env = { ...SITE_ENV, SITE_URL: home, DOCS_VERSIONS: `unreleased ${RELEASE}`, ...version };
      return promisify(execFile)('make', ['site', `SITE_FOLDER=${folder}`], { env });
    };
    await build(FOLDER, {});
    await build(join(FOLDER, RELEASE), { DOCS_VERSION: RELEASE });
    const files = globSync('**/*.*', { cwd: FOLDER }).map((file) => home + file.replace(/(^|\/)index\.html$/, '$1'));
    const pages = files.filter((file) => file.endsWith('/') && !file.startsWith(`${home}${RELEASE}/`));
    site = { origin, home, files, pages };
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
