/** Serves the files of a release over HTTP, and an npm registry. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { run } from '../../../hack/control-plane/run.ts';
import packageJson from '../../../package.json' with { type: 'json' };

export interface ReleaseServer {
  /** URL of the files, without a slash at the end. */
  readonly url: string;
  /** URL of the registry. */
  readonly registry: string;
  readonly stop: () => void;
}

/** What `npm publish` sends. */
interface Publication {
  readonly name: string;
  /** The tarball in Base64, by its path after `<name>/-/`. */
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

const REGISTRY_PATH = '/npm/';

/** @param folder Folder of the release. The registry redirects requests for other packages to the configured registry. */
export async function startReleaseServer(folder: string): Promise<ReleaseServer> {
  const upstream = (await run('npm', ['config', 'get', 'registry'])).trim().replace(/\/?$/, '/');
  const packages = new Map<string, Publication>();
  /** Returns the status of the response. A registry refuses to publish a version again. */
  const publish = ({ name, ...publication }: Publication) => {
    if (packages.has(name)) return 403;
    packages.set(name, { name, ...publication });
    return 201;
  };
  const isReleased = (name: string) => existsSync(join(folder, `${name}-${packageJson.version}.tgz`));
  const findContent = ({ url: path = '' }: IncomingMessage) => {
    if (!path.startsWith(REGISTRY_PATH)) return findFile(folder, basename(path), url);
    const [name = '', , tarball] = path.slice(REGISTRY_PATH.length).split('/');
    const { _attachments: attachments, ...packument } = packages.get(name) ?? {};
    if (attachments === undefined) return undefined;
    return tarball === undefined ? JSON.stringify(packument) : Buffer.from(attachments[tarball]?.data ?? '', 'base64');
  };
  const respond: RequestListener = async (request, response) => {
    // Without caching, because another server may have the same port later.
    response.setHeader('cache-control', 'no-store');
    const [, name] = request.url?.split(REGISTRY_PATH) ?? [];
    const content = findContent(request);
    if (request.method === 'PUT') response.writeHead(publish((await json(request)) as Publication)).end('{}');
    else if (content !== undefined) response.end(content);
    else if (name === undefined || isReleased(name)) response.writeHead(404).end('{}');
    else response.writeHead(302, { location: `${upstream}${name}` }).end();
  };
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // the address of a TCP server
  return {
    url,
    registry: `${url}${REGISTRY_PATH}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns a file of the release. The archives in the manifest for krew have the URL of this server. */
function findFile(folder: string, name: string, url: string): string | Buffer | undefined {
  const file = join(folder, name);
  if (name === '' || !existsSync(file)) return undefined;
  const content = readFileSync(file);
  return name === 'tcj.yaml' ? content.toString().replace(/https:.*(?=\/kubectl-tcj-)/g, url) : content;
}
