/** Serves the files of a release over HTTP, and its tarballs as an npm registry does. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { run } from '../../../hack/control-plane/run.ts';

export interface ReleaseServer {
  /** URL of the files and of the registry, without a slash at the end. */
  readonly url: string;
  readonly stop: () => void;
}

/** @param folder Folder of the release. The registry redirects requests for other packages to the configured registry. */
export async function startReleaseServer(folder: string): Promise<ReleaseServer> {
  const registry = (await run('npm', ['config', 'get', 'registry'])).trim().replace(/\/$/, '');
  const packages = new Map<string, object>();
  const respond: RequestListener = ({ url: path = '/' }, response) => {
    const file = join(folder, basename(path));
    const packument = packages.get(path.slice(1));
    // Without caching, because another server may have the same port later.
    response.setHeader('cache-control', 'no-store');
    if (packument !== undefined) response.end(JSON.stringify(packument));
    else if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(302, { location: `${registry}${path}` }).end();
  };
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // the address of a TCP server
  for (const file of globSync(join(folder, '*.tgz'))) {
    const files = await run('tar', ['--list', '--gzip', `--file=${file}`]);
    if (!files.includes('package/package.json')) continue; // the Helm chart
    const text = await run('tar', ['--extract', '--to-stdout', '--gzip', `--file=${file}`, 'package/package.json']);
    const { name, version, ...manifest } = JSON.parse(text);
    const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
    const dist = { tarball: `${url}/${basename(file)}`, integrity };
    const versions = { [version]: { name, version, ...manifest, dist } };
    packages.set(name, { name, 'dist-tags': { latest: version }, versions });
  }
  return {
    url,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
