/** Authenticates to a server: converts the user of a kubeconfig to TLS options and headers. */
import { formatBasicAuth, getBasicAuth } from '../basic-auth.ts';
import type { Credentials, TlsOptions } from '../server-credentials.ts';
import { checkAuthority, checkKeyPair } from './certificates.ts';
import type { ExecCredentials, PluginCredentials } from './exec-plugin.ts';
import type { ClusterConfig, Impersonation, KubeConfig, UserConfig } from './kubeconfig.ts';
import { kubeConfigError } from './kubeconfig-error.ts';
import { readBytes } from './read-file.ts';

export class Authenticator {
  readonly #config: KubeConfig;
  readonly #plugin: ExecCredentials | undefined;
  /** The content of the token file at the last successful read. */
  #token: string | undefined;

  /** @param plugin The exec plugin of the user. */
  constructor(config: KubeConfig, plugin: ExecCredentials | undefined) {
    this.#config = config;
    // The kubeconfig takes precedence over the plugin.
    this.#plugin = hasCredentials(config.user) ? undefined : plugin;
    this.#token = config.user.token;
  }

  /** Reads files again. Throws a ConfigurationError that describes the fault in a file or an exec plugin. */
  async credentials(signal: AbortSignal): Promise<Credentials> {
    const { cluster, user } = this.#config;
    const isSecure = cluster.server.protocol === 'https:';
    const plugin: PluginCredentials = (isSecure && (await this.#plugin?.current(signal))) || {};
    const authorization = isSecure ? this.#getAuthorization(user, plugin) : undefined;
    return {
      server: cluster.server,
      ...getProxy(cluster),
      tls: isSecure ? this.#getTlsOptions(plugin) : {},
      headers: this.#encodeHeaders({
        // Go's HTTP client prefers the credentials of the URL.
        Authorization: getBasicAuth(cluster.server) ?? authorization,
        ...(user.impersonate && buildImpersonationHeaders(user.impersonate)),
      }),
    };
  }

  #getTlsOptions(plugin: PluginCredentials): TlsOptions {
    const { cluster, user, source } = this.#config;
    const readData = (field: string, data: string | undefined, file: string | undefined) => {
      if (data !== undefined) return Buffer.from(data, 'base64');
      return file === undefined ? undefined : readBytes(source, field, file);
    };
    const ca = readData('certificate-authority', cluster.caData, cluster.caFile);
    const hasCert = user.certData !== undefined || user.certFile !== undefined;
    const cert = plugin.cert ?? readData('client-certificate', user.certData, user.certFile);
    const key = plugin.key ?? (hasCert ? readData('client-key', user.keyData, user.keyFile) : undefined);
    checkKeyPair(source, cert, key);
    return omitUndefined({
      ca: ca && checkAuthority(source, ca),
      cert,
      key,
      servername: cluster.tlsServerName,
      rejectUnauthorized: cluster.skipTlsVerify ? false : undefined,
    });
  }

  #getAuthorization(user: UserConfig, plugin: PluginCredentials): string | undefined {
    const token = plugin.token ?? this.#readToken(user);
    if (token !== undefined) return `Bearer ${token}`;
    return user.username === undefined ? undefined : formatBasicAuth(`${user.username}:${user.password ?? ''}`);
  }

  /** As in client-go, a token that was read once stays in use when the file is deleted. */
  #readToken({ tokenFile }: UserConfig): string | undefined {
    if (tokenFile === undefined) return this.#token;
    const { source } = this.#config;
    try {
      const token = readBytes(source, 'tokenFile', tokenFile).toString('utf8').replace(SURROUNDING_SPACE, '');
      if (token === '') throw kubeConfigError(source, `tokenFile ${tokenFile} is empty; write a token into it`);
      this.#token = token;
    } catch (error) {
      if (this.#token === undefined) throw error;
    }
    return this.#token;
  }

  /** Returns the headers as they are sent. */
  #encodeHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Credentials['headers'] {
    const entries = Object.entries(headers).map(([name, value]) => {
      if (value === undefined || typeof value === 'string') return [name, value && this.#encodeHeader(name, value)];
      return [name, value.map((each) => this.#encodeHeader(name, each))];
    });
    return omitUndefined(Object.fromEntries(entries));
  }

  /** Encodes the text as UTF-8 bytes, as Go does. */
  #encodeHeader(name: string, value: string): string {
    const trimmed = value.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
    const field = name === 'Authorization' ? 'the token, or the username and password,' : `the value of ${name}`;
    if (CONTROL_CHARACTER.test(value)) {
      throw kubeConfigError(
        this.#config.source,
        `${field} contains a line break or another control character; remove it`,
      );
    }
    return Buffer.from(trimmed, 'utf8').toString('latin1');
  }
}

/** Go's `unicode.IsSpace`. */
const SURROUNDING_SPACE = /^(?:(?!\ufeff)[\s\u0085])+|(?:(?!\ufeff)[\s\u0085])+$/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u0008\u000a-\u001f\u007f]/;

function hasCredentials({ token, tokenFile, username, certData, certFile }: UserConfig): boolean {
  return [token, tokenFile, username, certData, certFile].some((each) => each !== undefined);
}

/** Names and spelling of client-go. */
function buildImpersonationHeaders({
  user,
  uid,
  groups,
  extra,
}: Impersonation): Record<string, string | readonly string[]> {
  const extras = Object.entries(extra).map(([key, values]) => [`Impersonate-Extra-${escapeHeaderKey(key)}`, values]);
  return {
    'Impersonate-User': user,
    ...(uid !== undefined && { 'Impersonate-Uid': uid }),
    ...(groups.length > 0 && { 'Impersonate-Group': groups }),
    ...Object.fromEntries(extras),
  };
}

/** Escapes characters that a header name cannot contain, such as `%2F`. */
function escapeHeaderKey(text: string): string {
  const bytes = Buffer.from(text.toLowerCase(), 'utf8').toString('latin1');
  return bytes.replaceAll(
    /[^A-Za-z0-9!#$&'*+.^_`|~-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function getProxy({ proxyUrl, environmentProxy }: ClusterConfig): Pick<Credentials, 'proxy'> {
  if (proxyUrl !== undefined) return { proxy: { url: proxyUrl, source: 'proxy-url in the kubeconfig' } };
  return environmentProxy === undefined ? {} : { proxy: environmentProxy };
}

type WithoutUndefined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function omitUndefined<T extends object>(values: T): WithoutUndefined<T> {
  // The remaining entries are those of T without undefined.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>;
}
