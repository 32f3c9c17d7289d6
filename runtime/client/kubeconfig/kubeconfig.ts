/** Which cluster the kubeconfig files name, and as whom: the cluster and the user of the current context. */
import { dirname, isAbsolute, join, sep } from 'node:path';
import { problem } from './problem.ts';
import { checked, isMapping, isText, isTexts, isTextsByName, type Mapping, readKubeConfigFile } from './read-file.ts';

/** Paths are absolute. Data stands before files where there are both, as in client-go. */
export interface Cluster {
  readonly server: URL;
  readonly tlsServerName?: string | undefined;
  readonly skipTlsVerify: boolean;
  readonly caFile?: string | undefined;
  /** Base64. */
  readonly caData?: string | undefined;
  readonly proxyUrl?: URL | undefined;
  /** What an exec plugin is told about the cluster beyond that. */
  readonly execConfig?: unknown;
}

export interface User {
  readonly name: string;
  readonly certFile?: string | undefined;
  readonly certData?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly keyData?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly exec?: ExecPlugin | undefined;
  readonly impersonate?: Impersonation | undefined;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint?: string | undefined;
  readonly provideClusterInfo: boolean;
}

export interface KubeConfig {
  /** Says in errors where this comes from. */
  readonly source: string;
  /** Its name. Absent for the ServiceAccount of a Pod, which has no contexts. */
  readonly context?: string | undefined;
  readonly cluster: Cluster;
  readonly user: User;
  /** That of the context: where a command without a namespace looks. Absent when the context has none. */
  readonly namespace?: string | undefined;
}

/** Extension of a cluster that is for exec plugins. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';
const EXEC_API_VERSIONS: readonly string[] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
];

/** One entry of a list, and where it stands. */
interface Entry {
  readonly file: string;
  readonly where: string;
  readonly value: Mapping;
}

/**
 * The context of this name of these files together; without one, the current context. The first to say something counts, and files that are not there are passed over
 * as long as there is one, as in client-go. Throws a {@link ConfigurationError}.
 */
export function readKubeConfig(files: readonly string[], contextName?: string): KubeConfig {
  const read = files.flatMap((file) => {
    const content = readKubeConfigFile(file);
    return content === undefined ? [] : [{ file, content }];
  });
  const source = files.join(', ');
  if (read.length === 0) throw problem(source, 'no such file; correct --kubeconfig or KUBECONFIG');
  const current =
    contextName ?? read.map(({ content }) => textIn(content, 'current-context')).find((name) => name !== undefined);
  if (current === undefined) throw problem(source, 'current-context is not set; `kubectl config use-context` sets it');
  const find = (list: string, part: 'context' | 'cluster' | 'user', name: string | undefined) => {
    const entry = name && read.map(({ file, content }) => entryOf(file, content[list], part, name)).find(Boolean);
    if (!entry) throw problem(source, part === 'context' ? missingContext(contextName) : missing(part));
    return entry;
  };
  const context = find('contexts', 'context', current);
  const cluster = find('clusters', 'cluster', textIn(context.value, 'cluster'));
  const userName = textIn(context.value, 'user');
  const user = userName === undefined ? undefined : find('users', 'user', userName);
  return {
    source,
    context: current,
    cluster: clusterOf(cluster),
    user: user ? userOf(user, userName ?? '') : { name: '' },
    namespace: textIn(context.value, 'namespace'),
  };
}

function missingContext(name: string | undefined): string {
  return name === undefined
    ? 'current-context names a context that does not exist; choose one with `kubectl config use-context`'
    : `there is no context ${JSON.stringify(name)}; \`kubectl config get-contexts\` lists them`;
}

function missing(part: 'cluster' | 'user'): string {
  return `there is no ${part} of the name that the context has; correct the context, or add the ${part}`;
}

function entryOf(file: string, list: unknown, part: 'context' | 'cluster' | 'user', name: string): Entry | undefined {
  const entries = Array.isArray(list) ? list : [];
  const index = entries.findIndex((each) => isMapping(each) && each['name'] === name);
  if (index < 0) return undefined;
  const where = `${file}: ${part}s[${index}].${part}`;
  return { file, where, value: checked(where, part, entries[index][part] ?? {}) };
}

function clusterOf({ file, where, value }: Entry): Cluster {
  const cluster: Cluster = {
    server:
      urlIn(where, value, 'server', ['https:', 'http:']) ??
      fail(where, 'server is missing; set it to the URL of the API server'),
    tlsServerName: textIn(value, 'tls-server-name'),
    skipTlsVerify: value['insecure-skip-tls-verify'] === true,
    caFile: pathIn(file, value, 'certificate-authority'),
    caData: textIn(value, 'certificate-authority-data'),
    proxyUrl: urlIn(where, value, 'proxy-url', ['http:', 'https:']),
    execConfig: extensionOf(value['extensions']),
  };
  if (cluster.skipTlsVerify && (cluster.caFile ?? cluster.caData) !== undefined) {
    throw problem(where, 'insecure-skip-tls-verify and a certificate authority exclude each other; remove one');
  }
  if (cluster.server.protocol === 'http:' && !cluster.skipTlsVerify) {
    throw problem(
      where,
      'server is http, which shows credentials to the network; use https, or set insecure-skip-tls-verify',
    );
  }
  return cluster;
}

function userOf({ file, where, value }: Entry, name: string): User {
  const user: User = {
    name,
    certFile: pathIn(file, value, 'client-certificate'),
    certData: textIn(value, 'client-certificate-data'),
    keyFile: pathIn(file, value, 'client-key'),
    keyData: textIn(value, 'client-key-data'),
    token: textIn(value, 'token'),
    tokenFile: pathIn(file, value, 'tokenFile'),
    username: textIn(value, 'username'),
    password: textIn(value, 'password'),
    exec: isMapping(value['exec']) ? execOf(file, `${where}.exec`, value['exec']) : undefined,
    impersonate: impersonationOf(where, value),
  };
  const ways = [user.token ?? user.tokenFile, user.username, user.exec].filter((way) => way !== undefined);
  if (ways.length > 1) throw problem(where, 'has more than one of token or tokenFile, username, and exec; keep one');
  const [hasCert, hasKey] = [user.certFile ?? user.certData, user.keyFile ?? user.keyData].map(
    (each) => each !== undefined,
  );
  if (hasCert !== hasKey) throw problem(where, 'has one of client-certificate and client-key; a client needs both');
  return user;
}

function impersonationOf(where: string, value: Mapping): Impersonation | undefined {
  const user = textIn(value, 'as');
  const [uid, groups, extra] = [textIn(value, 'as-uid'), value['as-groups'] ?? [], value['as-user-extra'] ?? {}];
  if (!isTexts(groups) || !isTextsByName(extra)) return undefined; // checked before
  if (user !== undefined) return { user, uid, groups, extra };
  if (uid === undefined && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw problem(where, 'as-uid, as-groups and as-user-extra need as; set it to a user');
}

function execOf(file: string, where: string, value: Mapping): ExecPlugin {
  const exec = checked(where, 'exec', value);
  const command = textIn(exec, 'command') ?? fail(where, 'command is missing');
  const apiVersion = textIn(exec, 'apiVersion') ?? '';
  if (!EXEC_API_VERSIONS.includes(apiVersion)) {
    throw problem(where, `apiVersion must be ${EXEC_API_VERSIONS.join(' or ')}; update the plugin`);
  }
  const mode = textIn(exec, 'interactiveMode') ?? 'IfAvailable';
  if (mode === 'Always') throw problem(where, 'interactiveMode Always needs a terminal; use a plugin that asks nobody');
  if (mode !== 'Never' && mode !== 'IfAvailable') throw problem(where, 'interactiveMode must be Never or IfAvailable');
  const [args, env] = [exec['args'] ?? [], Array.isArray(exec['env']) ? exec['env'] : []];
  return {
    // One without a slash is looked for in PATH.
    command: command.includes(sep) && !isAbsolute(command) ? join(dirname(file), command) : command,
    args: isTexts(args) ? args : [],
    env: env.map((each: unknown) => {
      if (isMapping(each) && isText(each['name'])) return { name: each['name'], value: textIn(each, 'value') ?? '' };
      throw problem(where, 'env must be a list of name and value');
    }),
    apiVersion,
    installHint: textIn(exec, 'installHint'),
    provideClusterInfo: exec['provideClusterInfo'] === true,
  };
}

function extensionOf(extensions: unknown): unknown {
  const all: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
  const found = all.find((each) => isMapping(each) && each['name'] === EXEC_EXTENSION);
  return isMapping(found) ? found['extension'] : undefined;
}

/** Absent when empty, as client-go has it. */
function textIn(value: Mapping, name: string): string | undefined {
  const text = value[name];
  return isText(text) && text !== '' ? text : undefined;
}

function pathIn(file: string, value: Mapping, name: string): string | undefined {
  const path = textIn(value, name);
  return path === undefined || isAbsolute(path) ? path : join(dirname(file), path);
}

/** A proxy's URL may have a password in it, so it is not shown. */
function urlIn(where: string, value: Mapping, name: string, protocols: readonly string[]): URL | undefined {
  const text = textIn(value, name);
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && protocols.includes(url.protocol)) return url;
  throw problem(where, `${name} must be a URL with ${protocols.map((each) => `${each}//`).join(' or ')}`);
}

function fail(where: string, what: string): never {
  throw problem(where, what);
}
