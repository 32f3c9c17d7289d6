/** The cluster and the user of the current context in the kubeconfig files. */
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isRecord } from '../../kubernetes/is-record.ts';
import type { HttpProxy } from '../server-credentials.ts';
import { isText, type Mapping, refuseFields } from './fields.ts';
import { type Entry, type MergedKubeConfig, textIn } from './merge-files.ts';
import { problem } from './problem.ts';
import { proxyOf, serverOf } from './urls.ts';

/** Paths are absolute. */
export interface Cluster {
  /**
   * The server's address. As in client-go, no credentials are sent over http. A name and a password in the URL are
   * Basic authentication.
   */
  readonly server: URL;
  readonly tlsServerName?: string | undefined;
  readonly skipTlsVerify: boolean;
  readonly disableCompression: boolean;
  readonly caFile?: string | undefined;
  /** Base64. */
  readonly caData?: string | undefined;
  readonly proxyUrl?: URL | undefined;
  /** Applies without a `proxyUrl`. Not passed to an exec plugin, which has the same environment. */
  readonly environmentProxy?: HttpProxy | undefined;
  /** Additional configuration of the cluster for an exec plugin. */
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
  /** Whether the plugin may prompt the user at the terminal. */
  readonly interactiveMode: InteractiveMode;
}

const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const;
export type InteractiveMode = (typeof INTERACTIVE_MODES)[number];

export interface KubeConfig {
  /** Names the source in errors. */
  readonly source: string;
  /** Name of the context. Absent for the ServiceAccount of a Pod, which has no contexts. */
  readonly context?: string | undefined;
  readonly cluster: Cluster;
  readonly user: User;
  /** Namespace of the context: the default of commands without a namespace. Absent when the context does not set it. */
  readonly namespace?: string | undefined;
}

/** Extension of a cluster for exec plugins. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';
const EXEC_V1BETA1 = 'client.authentication.k8s.io/v1beta1';
const EXEC_API_VERSIONS: readonly string[] = ['client.authentication.k8s.io/v1', EXEC_V1BETA1];

/**
 * Server that kubectl uses when no server is configured. Usually nothing listens there, and a user who gets that far
 * has misread the error message.
 */
export const LOCAL_SERVER = 'http://localhost:8080';

/** Selects from the kubeconfig files. */
export interface Selection {
  /** Name of a context. Default: the current context. */
  readonly contextName?: string | undefined;
  /** Server of a cluster without a server. {@link LOCAL_SERVER} does not count as a server. */
  readonly defaultServer?: string | undefined;
  /** Used when the files name no server, or only the default one. */
  readonly fallback?: (() => KubeConfig) | undefined;
}

/** Returns the context with this name, or the current context. Throws a {@link ConfigurationError}. */
export function selectContext(merged: MergedKubeConfig, selection: Selection): KubeConfig {
  const { fallback, defaultServer = LOCAL_SERVER } = selection;
  const context = contextIn(merged, selection.contextName);
  const [cluster, userEntry] = [entryOf(merged, context, 'cluster'), entryOf(merged, context, 'user')];
  const user = userOf(userEntry, textIn(context.value, 'user') ?? '');
  if (fallback && isDefault(cluster.value, user, selection)) return fallback();
  const server = textIn(cluster.value, 'server') ?? (defaultServer === LOCAL_SERVER ? undefined : defaultServer);
  if (context.name === undefined && server === undefined) {
    throw problem(merged.source, merged.contexts.size > 0 ? NO_CURRENT_CONTEXT : NO_CONTEXTS);
  }
  requirePart(merged, context, 'cluster');
  requirePart(merged, context, 'user');
  return {
    source: merged.source,
    context: context.name,
    cluster: clusterOf(cluster, server),
    user,
    namespace: textIn(context.value, 'namespace'),
  };
}

interface Context {
  readonly name: string | undefined;
  readonly value: Mapping;
}

function contextIn(merged: MergedKubeConfig, chosen: string | undefined): Context {
  const name = chosen || merged.currentContext;
  const entry = merged.contexts.get(name ?? '');
  if (name === undefined || entry !== undefined) return { name, value: entry?.value ?? {} };
  throw problem(
    merged.source,
    chosen
      ? `there is no context ${JSON.stringify(chosen)}; \`kubectl config get-contexts\` lists them`
      : 'current-context names a context that does not exist; choose one with `kubectl config use-context`',
  );
}

/** Returns an empty mapping when the entry does not exist. */
function entryOf(merged: MergedKubeConfig, { value }: Context, part: 'cluster' | 'user'): Entry {
  return merged[`${part}s`].get(textIn(value, part) ?? '') ?? { file: '', where: merged.source, value: {} };
}

function requirePart(merged: MergedKubeConfig, { value }: Context, part: 'cluster' | 'user'): void {
  const name = textIn(value, part);
  if (name === undefined || merged[`${part}s`].has(name)) return;
  throw problem(
    merged.source,
    `there is no ${part} of the name that the context has; correct the context, or add the ${part}`,
  );
}

const NO_CONTEXTS = 'has no contexts; write a kubeconfig into it, or give another file';
const NO_CURRENT_CONTEXT = 'current-context is not set; `kubectl config use-context` sets it';

/** Whether client-go treats the configuration as empty: it sets nothing beyond the defaults. */
function isDefault(cluster: Mapping, { impersonate }: User, { defaultServer }: Selection): boolean {
  if (defaultServer === undefined) return Object.values(cluster).every((value) => !value);
  const server = textIn(cluster, 'server') ?? defaultServer;
  const isPlain = !textIn(cluster, 'proxy-url') && cluster['disable-compression'] !== true && !impersonate;
  return server === defaultServer && isPlain;
}

function clusterOf({ file, where, value }: Entry, server: string | undefined): Cluster {
  const cluster: Cluster = {
    server: serverOf(where, server ?? fail(where, 'server is missing; set it to the URL of the API server')),
    tlsServerName: textIn(value, 'tls-server-name'),
    skipTlsVerify: value['insecure-skip-tls-verify'] === true,
    disableCompression: value['disable-compression'] === true,
    caFile: pathIn(file, value, 'certificate-authority'),
    caData: textIn(value, 'certificate-authority-data'),
    proxyUrl: proxyOf(where, textIn(value, 'proxy-url')),
    execConfig: extensionOf(value['extensions']),
  };
  exclude(where, 'certificate-authority', cluster.caFile, cluster.caData);
  if (cluster.skipTlsVerify && (cluster.caFile ?? cluster.caData) !== undefined) {
    throw problem(where, 'insecure-skip-tls-verify and a certificate authority exclude each other; remove one');
  }
  return cluster;
}

/** Rejects data together with a file, because one of them would be ignored. */
function exclude(where: string, field: string, file: string | undefined, data: string | undefined): void {
  if (file === undefined || data === undefined) return;
  throw problem(where, `${field} and ${field}-data exclude each other; remove one`);
}

function userOf({ file, where, value }: Entry, name: string): User {
  refuseFields(where, 'user', value);
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
    exec: isRecord(value['exec']) ? execOf(file, `${where}.exec`, value['exec']) : undefined,
    impersonate: impersonationOf(where, value),
  };
  const hasPassword = user.username ?? user.password;
  if (hasPassword !== undefined && (user.token ?? (user.username && user.tokenFile)) !== undefined) {
    throw problem(where, 'has both a token or tokenFile and a username or password; keep one of them');
  }
  // Ignores a key without a certificate, as client-go does.
  if ((user.certFile ?? user.certData) === undefined) return user;
  exclude(where, 'client-certificate', user.certFile, user.certData);
  exclude(where, 'client-key', user.keyFile, user.keyData);
  if ((user.keyFile ?? user.keyData) !== undefined) return user;
  throw problem(where, 'has a client-certificate without its client-key; add it');
}

function impersonationOf(where: string, value: Mapping): Impersonation | undefined {
  const user = textIn(value, 'as');
  const [uid, groups] = [textIn(value, 'as-uid'), textsIn(value['as-groups'])];
  const extra = isRecord(value['as-user-extra']) ? Object.entries(value['as-user-extra']) : [];
  if (user !== undefined) {
    return { user, uid, groups, extra: Object.fromEntries(extra.map(([name, texts]) => [name, textsIn(texts)])) };
  }
  if (uid === undefined && groups.length === 0 && extra.length === 0) return undefined;
  throw problem(where, 'as-uid, as-groups and as-user-extra need as; set it to a user');
}

function execOf(file: string, where: string, exec: Mapping): ExecPlugin {
  const command = textIn(exec, 'command') ?? fail(where, 'command is missing');
  const apiVersion = textIn(exec, 'apiVersion') ?? '';
  if (!EXEC_API_VERSIONS.includes(apiVersion)) {
    throw problem(where, `apiVersion must be ${EXEC_API_VERSIONS.join(' or ')}; update the plugin`);
  }
  const env: readonly unknown[] = Array.isArray(exec['env']) ? exec['env'] : [];
  return {
    // A command without a slash is searched in PATH.
    command: command.includes(sep) ? absolute(file, command) : command,
    args: textsIn(exec['args']),
    env: env.map((each) => {
      const variable = isRecord(each) ? each : {};
      const name = textIn(variable, 'name') ?? fail(where, 'env has a variable without a name');
      return { name, value: textIn(variable, 'value') ?? '' };
    }),
    apiVersion,
    installHint: textIn(exec, 'installHint'),
    provideClusterInfo: exec['provideClusterInfo'] === true,
    interactiveMode: interactiveModeOf(where, exec, apiVersion),
  };
}

function interactiveModeOf(where: string, exec: Mapping, apiVersion: string): InteractiveMode {
  const given = textIn(exec, 'interactiveMode') ?? (apiVersion === EXEC_V1BETA1 ? 'IfAvailable' : undefined);
  const mode = INTERACTIVE_MODES.find((each) => each === given);
  return mode ?? fail(where, `interactiveMode must be ${INTERACTIVE_MODES.join(', ').replace(/, (?=\w+$)/, ' or ')}`);
}

function extensionOf(extensions: unknown): unknown {
  const all: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
  const found = all.find((each) => isRecord(each) && each['name'] === EXEC_EXTENSION);
  return isRecord(found) ? found['extension'] : undefined;
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map((each) => (isText(each) ? each : '')) : [];
}

function pathIn(file: string, value: Mapping, name: string): string | undefined {
  const path = textIn(value, name);
  return path === undefined ? undefined : absolute(file, path);
}

/** Relative paths start at the folder of the kubeconfig. */
function absolute(file: string, path: string): string {
  return isAbsolute(path) ? path : join(resolve(dirname(file)), path);
}

function fail(where: string, what: string): never {
  throw problem(where, what);
}
