/** The cluster and the user of the current context in the kubeconfig files. */
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isRecord } from '../../kubernetes/is-record.ts';
import type { HttpProxy } from '../server-credentials.ts';
import { isString, type Mapping, rejectUnsupportedFields } from './fields.ts';
import { kubeConfigError } from './kubeconfig-error.ts';
import { getString, type KubeConfigEntry, type MergedKubeConfig } from './merge-files.ts';
import { parseProxyUrl, parseServerUrl } from './urls.ts';

/** Paths are absolute. */
export interface ClusterConfig {
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

export interface UserConfig {
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
  readonly cluster: ClusterConfig;
  readonly user: UserConfig;
  /** Namespace of the context: the default of commands without a namespace. Absent when the context does not set it. */
  readonly namespace?: string | undefined;
}

/** Extension of a cluster for exec plugins. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';
const EXEC_V1BETA1 = 'client.authentication.k8s.io/v1beta1';
const EXEC_API_VERSIONS: readonly string[] = ['client.authentication.k8s.io/v1', EXEC_V1BETA1];

/**
 * Server that kubectl uses when no server is configured. Usually nothing listens there.
 */
export const LOCAL_SERVER = 'http://localhost:8080';

/** Selects from the kubeconfig files. */
export interface ContextSelection {
  /** Name of a context. Default: the current context. */
  readonly contextName?: string | undefined;
  /** Server of a cluster without a server. {@link LOCAL_SERVER} does not count as a server. */
  readonly defaultServer?: string | undefined;
  /** Used when the files name no server, or only the default one. */
  readonly fallback?: (() => KubeConfig) | undefined;
}

/** Returns the context with this name, or the current context. Throws a {@link ConfigurationError}. */
export function selectContext(merged: MergedKubeConfig, selection: ContextSelection): KubeConfig {
  const { fallback, defaultServer = LOCAL_SERVER } = selection;
  const context = findContext(merged, selection.contextName);
  const [cluster, userEntry] = [findEntry(merged, context, 'cluster'), findEntry(merged, context, 'user')];
  const user = parseUser(userEntry, getString(context.value, 'user') ?? '');
  if (fallback && hasOnlyDefaults(cluster.value, user, selection)) return fallback();
  const server = getString(cluster.value, 'server') ?? (defaultServer === LOCAL_SERVER ? undefined : defaultServer);
  if (context.name === undefined && server === undefined) {
    throw kubeConfigError(merged.source, merged.contexts.size > 0 ? NO_CURRENT_CONTEXT : NO_CONTEXTS);
  }
  checkPartExists(merged, context, 'cluster');
  checkPartExists(merged, context, 'user');
  return {
    source: merged.source,
    context: context.name,
    cluster: parseCluster(cluster, server),
    user,
    namespace: getString(context.value, 'namespace'),
  };
}

interface SelectedContext {
  readonly name: string | undefined;
  readonly value: Mapping;
}

function findContext(merged: MergedKubeConfig, contextName: string | undefined): SelectedContext {
  const name = contextName || merged.currentContext;
  const entry = merged.contexts.get(name ?? '');
  if (name === undefined || entry !== undefined) return { name, value: entry?.value ?? {} };
  throw kubeConfigError(
    merged.source,
    contextName
      ? `there is no context ${JSON.stringify(contextName)}; \`kubectl config get-contexts\` lists them`
      : 'current-context names a context that does not exist; choose one with `kubectl config use-context`',
  );
}

/** Returns an empty mapping when the entry does not exist. */
function findEntry(merged: MergedKubeConfig, { value }: SelectedContext, part: 'cluster' | 'user'): KubeConfigEntry {
  return merged[`${part}s`].get(getString(value, part) ?? '') ?? { file: '', where: merged.source, value: {} };
}

function checkPartExists(merged: MergedKubeConfig, { value }: SelectedContext, part: 'cluster' | 'user'): void {
  const name = getString(value, part);
  if (name === undefined || merged[`${part}s`].has(name)) return;
  throw kubeConfigError(
    merged.source,
    `the context names a ${part} that does not exist; correct the context, or add the ${part}`,
  );
}

const NO_CONTEXTS = 'has no contexts; write a kubeconfig into it, or use another file';
const NO_CURRENT_CONTEXT = 'current-context is not set; `kubectl config use-context` sets it';

/** Whether client-go treats the configuration as empty: it sets nothing beyond the defaults. */
function hasOnlyDefaults(cluster: Mapping, { impersonate }: UserConfig, { defaultServer }: ContextSelection): boolean {
  if (defaultServer === undefined) return Object.values(cluster).every((value) => !value);
  const server = getString(cluster, 'server') ?? defaultServer;
  const hasNoOtherSettings =
    !getString(cluster, 'proxy-url') && cluster['disable-compression'] !== true && !impersonate;
  return server === defaultServer && hasNoOtherSettings;
}

function parseCluster({ file, where, value }: KubeConfigEntry, server: string | undefined): ClusterConfig {
  const cluster: ClusterConfig = {
    server: parseServerUrl(where, server ?? fail(where, 'server is missing; set it to the URL of the API server')),
    tlsServerName: getString(value, 'tls-server-name'),
    skipTlsVerify: value['insecure-skip-tls-verify'] === true,
    disableCompression: value['disable-compression'] === true,
    caFile: getPath(file, value, 'certificate-authority'),
    caData: getString(value, 'certificate-authority-data'),
    proxyUrl: parseProxyUrl(where, getString(value, 'proxy-url')),
    execConfig: findExecExtension(value['extensions']),
  };
  rejectBoth(where, 'certificate-authority', cluster.caFile, cluster.caData);
  if (cluster.skipTlsVerify && (cluster.caFile ?? cluster.caData) !== undefined) {
    throw kubeConfigError(
      where,
      'insecure-skip-tls-verify and a certificate authority are mutually exclusive; remove one',
    );
  }
  return cluster;
}

/** Rejects data together with a file, because one of them would be ignored. */
function rejectBoth(where: string, field: string, file: string | undefined, data: string | undefined): void {
  if (file === undefined || data === undefined) return;
  throw kubeConfigError(where, `${field} and ${field}-data are mutually exclusive; remove one`);
}

function parseUser({ file, where, value }: KubeConfigEntry, name: string): UserConfig {
  rejectUnsupportedFields(where, 'user', value);
  const user: UserConfig = {
    name,
    certFile: getPath(file, value, 'client-certificate'),
    certData: getString(value, 'client-certificate-data'),
    keyFile: getPath(file, value, 'client-key'),
    keyData: getString(value, 'client-key-data'),
    token: getString(value, 'token'),
    tokenFile: getPath(file, value, 'tokenFile'),
    username: getString(value, 'username'),
    password: getString(value, 'password'),
    exec: isRecord(value['exec']) ? parseExecPlugin(file, `${where}.exec`, value['exec']) : undefined,
    impersonate: parseImpersonation(where, value),
  };
  const hasPassword = user.username ?? user.password;
  if (hasPassword !== undefined && (user.token ?? (user.username && user.tokenFile)) !== undefined) {
    throw kubeConfigError(where, 'has both a token or tokenFile and a username or password; keep one of them');
  }
  // Ignores a key without a certificate, as client-go does.
  if ((user.certFile ?? user.certData) === undefined) return user;
  rejectBoth(where, 'client-certificate', user.certFile, user.certData);
  rejectBoth(where, 'client-key', user.keyFile, user.keyData);
  if ((user.keyFile ?? user.keyData) !== undefined) return user;
  throw kubeConfigError(where, 'has a client-certificate without its client-key; add it');
}

function parseImpersonation(where: string, value: Mapping): Impersonation | undefined {
  const user = getString(value, 'as');
  const [uid, groups] = [getString(value, 'as-uid'), toStrings(value['as-groups'])];
  const extra = isRecord(value['as-user-extra']) ? Object.entries(value['as-user-extra']) : [];
  if (user !== undefined) {
    return { user, uid, groups, extra: Object.fromEntries(extra.map(([name, texts]) => [name, toStrings(texts)])) };
  }
  if (uid === undefined && groups.length === 0 && extra.length === 0) return undefined;
  throw kubeConfigError(where, 'as-uid, as-groups and as-user-extra need as; set it to a user');
}

function parseExecPlugin(file: string, where: string, exec: Mapping): ExecPlugin {
  const command = getString(exec, 'command') ?? fail(where, 'command is missing');
  const apiVersion = getString(exec, 'apiVersion') ?? '';
  if (!EXEC_API_VERSIONS.includes(apiVersion)) {
    throw kubeConfigError(where, `apiVersion must be ${EXEC_API_VERSIONS.join(' or ')}; update the plugin`);
  }
  const env: readonly unknown[] = Array.isArray(exec['env']) ? exec['env'] : [];
  return {
    // A command without a slash is searched in PATH.
    command: command.includes(sep) ? toAbsolutePath(file, command) : command,
    args: toStrings(exec['args']),
    env: env.map((each) => {
      const variable = isRecord(each) ? each : {};
      const name = getString(variable, 'name') ?? fail(where, 'env has a variable without a name');
      return { name, value: getString(variable, 'value') ?? '' };
    }),
    apiVersion,
    installHint: getString(exec, 'installHint'),
    provideClusterInfo: exec['provideClusterInfo'] === true,
    interactiveMode: parseInteractiveMode(where, exec, apiVersion),
  };
}

function parseInteractiveMode(where: string, exec: Mapping, apiVersion: string): InteractiveMode {
  const modeName = getString(exec, 'interactiveMode') ?? (apiVersion === EXEC_V1BETA1 ? 'IfAvailable' : undefined);
  const mode = INTERACTIVE_MODES.find((each) => each === modeName);
  return mode ?? fail(where, `interactiveMode must be ${INTERACTIVE_MODES.join(', ').replace(/, (?=\w+$)/, ' or ')}`);
}

function findExecExtension(extensions: unknown): unknown {
  const all: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
  const extension = all.find((each) => isRecord(each) && each['name'] === EXEC_EXTENSION);
  return isRecord(extension) ? extension['extension'] : undefined;
}

function toStrings(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map((each) => (isString(each) ? each : '')) : [];
}

function getPath(file: string, value: Mapping, name: string): string | undefined {
  const path = getString(value, name);
  return path === undefined ? undefined : toAbsolutePath(file, path);
}

/** Relative paths start at the folder of the kubeconfig. */
function toAbsolutePath(file: string, path: string): string {
  return isAbsolute(path) ? path : join(resolve(dirname(file)), path);
}

function fail(where: string, what: string): never {
  throw kubeConfigError(where, what);
}
