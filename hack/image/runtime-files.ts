/**
 * Lists the files that a Node program needs: Node and its licence, C and C++ libraries, the users and groups, and the certificates of CAs.
 * The paths are the same as in distroless images.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { TarEntry } from './tar.ts';

/** Older C libraries load these files when a program looks up a host name, so `ldd` does not list them. */
export const NAME_SERVICE_LIBRARIES = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];

const PASSWD_FILE = `root:x:0:0:root:/:/sbin/nologin
nobody:x:65534:65534:nobody:/:/sbin/nologin
nonroot:x:65532:65532:nonroot:/:/sbin/nologin
`;
const GROUP_FILE = 'root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n';

export interface NodeRuntime {
  /** Path of the Node executable. */
  readonly node: string;
  /** Path of the licences of Node and its libraries, if the file exists. */
  readonly licence: string | undefined;
  /** Paths of the C and C++ libraries, and the absolute paths from which the dynamic loader loads them. */
  readonly libraries: readonly { readonly source: string; readonly path: string }[];
}

/** Returns Node with the libraries of this machine. Requires Linux with glibc. */
export function findNodeRuntime(node: string): NodeRuntime {
  if (process.platform !== 'linux')
    throw new Error('the image contains Linux programs: build it on Linux or with Docker');
  return {
    node,
    licence: findNodeLicence(node),
    libraries: listLibraries(node).map((path) => ({ source: path, path })),
  };
}

export function listRuntimeFiles({ node, licence, libraries }: NodeRuntime): readonly TarEntry[] {
  const createProgramEntry = (path: string, source: string): TarEntry => ({
    kind: 'file',
    path,
    content: readFileSync(realpathSync(source)),
    mode: 0o755,
  });
  const createTextEntry = (path: string, content: string): TarEntry => ({
    kind: 'file',
    path,
    content: Buffer.from(content),
  });
  return [
    createProgramEntry('nodejs/bin/node', node),
    ...libraries.map(({ source, path }) => createProgramEntry(path.slice(1), source)),
    createTextEntry('etc/passwd', PASSWD_FILE),
    createTextEntry('etc/group', GROUP_FILE),
    createTextEntry('etc/nsswitch.conf', 'hosts: files dns\n'),
    createTextEntry('etc/ssl/certs/ca-certificates.crt', `${rootCertificates.join('\n')}\n`),
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
    ...(licence === undefined ? [] : [createTextEntry('licenses/node/LICENSE', readFileSync(licence, 'utf8'))]),
  ];
}

/**
 * Returns the path of the file with the licences of Node and its libraries. A release and the npm package of Node contain the file in
 * different folders.
 */
export function findNodeLicence(node: string): string | undefined {
  const parentFolder = join(dirname(node), '..');
  // The macOS package for arm64 is named node-bin.
  const packages = ['node', 'node-bin'].map((name) => `node_modules/${name}-${process.platform}-${process.arch}`);
  const folders = [parentFolder, ...packages.map((name) => join(parentFolder, name))];
  return folders.map((folder) => join(folder, 'LICENSE')).find((path) => existsSync(path));
}

/** Returns the absolute paths from which the dynamic loader loads libraries. */
function listLibraries(program: string): readonly string[] {
  const lddOutput = execFileSync('ldd', [program], { encoding: 'utf8', stdio: 'pipe' });
  const linkedLibraries = [...lddOutput.matchAll(/(?:=> |^\s+)(\/\S+) \(/gm)].map(([, path = '']) => path);
  const libc = linkedLibraries.find((path) => path.endsWith('/libc.so.6'));
  if (libc === undefined) throw new Error(`${program} is not linked with glibc:\n${lddOutput}`);
  return [
    ...linkedLibraries,
    ...NAME_SERVICE_LIBRARIES.map((name) => join(dirname(libc), name)).filter((path) => existsSync(path)),
  ];
}
