import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isRecord } from '../../kubernetes/is-record.ts';
import type { HttpProxy } from '../server-credentials.ts';
import { createKubeConfigError } from './kubeconfig-error.ts';
import { isString, type Mapping, rejectUnsupportedFields } from './kubeconfig-fields.ts';
import { getString, type KubeConfigEntry, type MergedKubeConfig } from './merge-kubeconfigs.ts';
import { parseProxyUrl, parseServerUrl } from './parse-urls.ts';

/** A cluster of a kubeconfig. Relative paths are converted to absolute paths. */
export interface ClusterConfig {
  /**
   * URL of the API server. As in client-go, the client sends the credentials of the user only to an https URL. A user
   * name and a password in the URL are used for Basic authentication.
   */
  readonly server: URL;
  readonly tlsServerName?: string | undefined;
  readonly skipTlsVerify: boolean;
  readonly disableCompression: boolean;
  readonly caFile?: string | undefined;
  /** Certificates of the CA in base64. */
  readonly caData?: string | undefined;
  readonly proxyUrl?: URL | undefined;
  /** The proxy from environment variables. The client uses this proxy if `proxyUrl` is absent. */
  readonly environmentProxy?: HttpProxy | undefined;
  /** Configuration that the extensions of the cluster contain for the exec plugin. */
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
  /** Whether the plugin may use the terminal. */
  readonly interactiveMode: InteractiveMode;
}

const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const;
export type InteractiveMode = (typeof INTERACTIVE_MODES)[number];

/** The selected context of a kubeconfig. */
export interface KubeConfig {
  /** Names of the kubeconfig files, for error messages. */
  readonly source: string;
  /** Name of the context, or `undefined` for the ServiceAccount of a Pod. */
  readonly context?: string | undefined;
  /** The API server. */
  readonly cluster: ClusterConfig;
  /** The credentials. */
  readonly user: UserConfig;
  /** Namespace of the context. Commands use this namespace by default. */
  readonly namespace?: string | undefined;
}

const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';
const EXEC_API_VERSION_V1BETA1 = 'client.authentication.k8s.io/v1beta1';
const EXEC_API_VERSIONS: readonly string[] = ['client.authentication.k8s.io/v1', EXEC_API_VERSION_V1BETA1];

/** URL of the API server that kubectl uses by default. */
export const LOCAL_SERVER_URL = 'http://localhost:8080';

export interface ContextSelection {
  /** Name of a context. Default: the current context. */
  readonly contextName?: string | undefined;
  /** URL of the API server for a cluster without `server`. The URL {@link LOCAL_SERVER_URL} is ignored. */
  readonly defaultServer?: string | undefined;
  /** Returns the configuration to use if the files set no server, or only the default server. */
  readonly fallback?: (() => KubeConfig) | undefined;
}

/** Returns the selected context. Throws a {@link ConfigurationError} if the context is missing or invalid. */
export function selectContext(config: MergedKubeConfig, selection: ContextSelection): KubeConfig {
  const { fallback, defaultServer = LOCAL_SERVER_URL } = selection;
  const context = findContext(config, selection.contextName);
  const [cluster, userEntry] = [findEntry(config, context, 'cluster'), findEntry(config, context, 'user')];
  const user = parseUser(userEntry, getString(context.content, 'user') ?? '');
  if (fallback && hasOnlyDefaults(cluster.content, user, selection)) return fallback();
  const server =
    getString(cluster.content, 'server') ?? (defaultServer === LOCAL_SERVER_URL ? undefined : defaultServer);
  if (context.name === undefined && server === undefined) {
    throw createKubeConfigError(
      config.source,
      config.contexts.size > 0 ? NO_CURRENT_CONTEXT_MESSAGE : NO_CONTEXTS_MESSAGE,
    );
  }
  checkEntryExists(config, context, 'cluster');
  checkEntryExists(config, context, 'user');
  return {
    source: config.source,
    context: context.name,
    cluster: parseCluster(cluster, server),
    user,
    namespace: getString(context.content, 'namespace'),
  };
}

interface SelectedContext {
  readonly name: string | undefined;
  readonly content: Mapping;
}

function findContext(config: MergedKubeConfig, contextName: string | undefined): SelectedContext {
  const name = contextName || config.currentContext;
  const entry = config.contexts.get(name ?? '');
  if (name === undefined || entry !== undefined) return { name, content: entry?.content ?? {} };
  throw createKubeConfigError(
    config.source,
    contextName
      ? `there is no context ${JSON.stringify(contextName)}; \`kubectl config get-contexts\` lists them`
      : 'current-context names a context that does not exist; choose one with `kubectl config use-context`',
  );
}

/** Returns an empty entry if the cluster or the user does not exist. */
function findEntry(config: MergedKubeConfig, { content }: SelectedContext, kind: 'cluster' | 'user'): KubeConfigEntry {
  return config[`${kind}s`].get(getString(content, kind) ?? '') ?? { file: '', location: config.source, content: {} };
}

function checkEntryExists(config: MergedKubeConfig, { content }: SelectedContext, kind: 'cluster' | 'user'): void {
  const name = getString(content, kind);
  if (name === undefined || config[`${kind}s`].has(name)) return;
  throw createKubeConfigError(
    config.source,
    `the context names a ${kind} that does not exist; correct the context, or add the ${kind}`,
  );
}

const NO_CONTEXTS_MESSAGE = 'has no contexts; write a kubeconfig into it, or use another file';
const NO_CURRENT_CONTEXT_MESSAGE = 'current-context is not set; `kubectl config use-context` sets it';

/** Returns whether the configuration is empty by the rules of client-go. */
function hasOnlyDefaults(cluster: Mapping, { impersonate }: UserConfig, { defaultServer }: ContextSelection): boolean {
  if (defaultServer === undefined) return Object.values(cluster).every((value) => !value);
  const server = getString(cluster, 'server') ?? defaultServer;
  const hasOtherSettings =
    getString(cluster, 'proxy-url') || cluster['disable-compression'] === true || impersonate !== undefined;
  return server === defaultServer && !hasOtherSettings;
}

function parseCluster({ file, location, content }: KubeConfigEntry, server: string | undefined): ClusterConfig {
  const cluster: ClusterConfig = {
    server: parseServerUrl(
      location,
      server ?? throwKubeConfigError(location, 'server is missing; set it to the URL of the API server'),
    ),
    tlsServerName: getString(content, 'tls-server-name'),
    skipTlsVerify: content['insecure-skip-tls-verify'] === true,
    disableCompression: content['disable-compression'] === true,
    caFile: getPath(file, content, 'certificate-authority'),
    caData: getString(content, 'certificate-authority-data'),
    proxyUrl: parseProxyUrl(location, getString(content, 'proxy-url')),
    execConfig: findExecExtension(content['extensions']),
  };
  throwIfFileAndDataAreSet(location, 'certificate-authority', cluster.caFile, cluster.caData);
  if (cluster.skipTlsVerify && (cluster.caFile ?? cluster.caData) !== undefined) {
    throw createKubeConfigError(
      location,
      'insecure-skip-tls-verify and a certificate authority are mutually exclusive; remove one',
    );
  }
  return cluster;
}

function throwIfFileAndDataAreSet(
  location: string,
  field: string,
  file: string | undefined,
  data: string | undefined,
): void {
  if (file === undefined || data === undefined) return;
  throw createKubeConfigError(location, `${field} and ${field}-data are mutually exclusive; remove one`);
}

function parseUser({ file, location, content }: KubeConfigEntry, name: string): UserConfig {
  rejectUnsupportedFields(location, 'user', content);
  const user: UserConfig = {
    name,
    certFile: getPath(file, content, 'client-certificate'),
    certData: getString(content, 'client-certificate-data'),
    keyFile: getPath(file, content, 'client-key'),
    keyData: getString(content, 'client-key-data'),
    token: getString(content, 'token'),
    tokenFile: getPath(file, content, 'tokenFile'),
    username: getString(content, 'username'),
    password: getString(content, 'password'),
    exec: isRecord(content['exec']) ? parseExecPlugin(file, `${location}.exec`, content['exec']) : undefined,
    impersonate: parseImpersonation(location, content),
  };
  const passwordOrUsername = user.username ?? user.password;
  if (passwordOrUsername !== undefined && (user.token ?? (user.username && user.tokenFile)) !== undefined) {
    throw createKubeConfigError(location, 'has both a token or tokenFile and a username or password; keep one of them');
  }
  // A key without a certificate is ignored, as in client-go.
  if ((user.certFile ?? user.certData) === undefined) return user;
  throwIfFileAndDataAreSet(location, 'client-certificate', user.certFile, user.certData);
  throwIfFileAndDataAreSet(location, 'client-key', user.keyFile, user.keyData);
  if ((user.keyFile ?? user.keyData) !== undefined) return user;
  throw createKubeConfigError(location, 'has a client-certificate without its client-key; add it');
}

function parseImpersonation(location: string, content: Mapping): Impersonation | undefined {
  const user = getString(content, 'as');
  const [uid, groups] = [getString(content, 'as-uid'), toStrings(content['as-groups'])];
  const extra = isRecord(content['as-user-extra']) ? Object.entries(content['as-user-extra']) : [];
  if (user !== undefined) {
    return { user, uid, groups, extra: Object.fromEntries(extra.map(([name, texts]) => [name, toStrings(texts)])) };
  }
  if (uid === undefined && groups.length === 0 && extra.length === 0) return undefined;
  throw createKubeConfigError(location, 'as-uid, as-groups and as-user-extra require as; set as to a user');
}

function parseExecPlugin(file: string, location: string, exec: Mapping): ExecPlugin {
  const command = getString(exec, 'command') ?? throwKubeConfigError(location, 'command is missing');
  const apiVersion = getString(exec, 'apiVersion') ?? '';
  if (!EXEC_API_VERSIONS.includes(apiVersion)) {
    throw createKubeConfigError(location, `apiVersion must be ${EXEC_API_VERSIONS.join(' or ')}; update the plugin`);
  }
  const env: readonly unknown[] = Array.isArray(exec['env']) ? exec['env'] : [];
  return {
    // A command without a slash is searched in PATH.
    command: command.includes(sep) ? toAbsolutePath(file, command) : command,
    args: toStrings(exec['args']),
    env: env.map((each) => {
      const variable = isRecord(each) ? each : {};
      const name = getString(variable, 'name') ?? throwKubeConfigError(location, 'env has a variable without a name');
      return { name, value: getString(variable, 'value') ?? '' };
    }),
    apiVersion,
    installHint: getString(exec, 'installHint'),
    provideClusterInfo: exec['provideClusterInfo'] === true,
    interactiveMode: parseInteractiveMode(location, exec, apiVersion),
  };
}

function parseInteractiveMode(location: string, exec: Mapping, apiVersion: string): InteractiveMode {
  const modeName =
    getString(exec, 'interactiveMode') ?? (apiVersion === EXEC_API_VERSION_V1BETA1 ? 'IfAvailable' : undefined);
  const mode = INTERACTIVE_MODES.find((each) => each === modeName);
  return (
    mode ??
    throwKubeConfigError(
      location,
      `interactiveMode must be ${INTERACTIVE_MODES.join(', ').replace(/, (?=\w+$)/, ' or ')}`,
    )
  );
}

function findExecExtension(extensions: unknown): unknown {
  const extensionList: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
  const extension = extensionList.find((each) => isRecord(each) && each['name'] === EXEC_EXTENSION);
  return isRecord(extension) ? extension['extension'] : undefined;
}

function toStrings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((each) => (isString(each) ? each : '')) : [];
}

function getPath(file: string, mapping: Mapping, fieldName: string): string | undefined {
  const path = getString(mapping, fieldName);
  return path === undefined ? undefined : toAbsolutePath(file, path);
}

/** A relative path is relative to the folder of the kubeconfig file. */
function toAbsolutePath(file: string, path: string): string {
  return isAbsolute(path) ? path : join(resolve(dirname(file)), path);
}

function throwKubeConfigError(location: string, problem: string): never {
  throw createKubeConfigError(location, problem);
}
