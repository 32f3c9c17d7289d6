import { formatBasicAuth, getBasicAuth } from '../basic-auth.ts';
import type { Credentials, TlsOptions } from '../server-credentials.ts';
import { checkCaCertificates, checkKeyPair } from './check-certificates.ts';
import type { ExecCredentialProvider, PluginCredentials } from './exec-plugin.ts';
import type { ClusterConfig, Impersonation, KubeConfig, UserConfig } from './kubeconfig.ts';
import { createKubeConfigError } from './kubeconfig-error.ts';
import { readReferencedFile } from './read-kubeconfig-file.ts';

/** Converts the user of a kubeconfig to TLS options and headers. */
export class Authenticator {
  readonly #config: KubeConfig;
  readonly #plugin: ExecCredentialProvider | undefined;
  /** The token of the kubeconfig, or the last token from the token file. */
  #token: string | undefined;

  constructor(config: KubeConfig, plugin: ExecCredentialProvider | undefined) {
    this.#config = config;
    // Credentials in the kubeconfig take precedence over the plugin.
    this.#plugin = hasCredentials(config.user) ? undefined : plugin;
    this.#token = config.user.token;
  }

  /**
   * Reads the token and certificate files at each call. Throws a {@link ConfigurationError} if a file is invalid or an
   * exec plugin fails.
   */
  async getCredentials(signal: AbortSignal): Promise<Credentials> {
    const { cluster, user } = this.#config;
    const isSecure = cluster.server.protocol === 'https:';
    const pluginCredentials: PluginCredentials = (isSecure && (await this.#plugin?.getCredentials(signal))) || {};
    const authorization = isSecure ? this.#getAuthorization(user, pluginCredentials) : undefined;
    return {
      server: cluster.server,
      ...buildProxyOption(cluster),
      tls: isSecure ? this.#getTlsOptions(pluginCredentials) : {},
      headers: this.#encodeHeaders({
        // Credentials in the URL take precedence, as in Go.
        Authorization: getBasicAuth(cluster.server) ?? authorization,
        ...(user.impersonate && buildImpersonationHeaders(user.impersonate)),
      }),
    };
  }

  #getTlsOptions(pluginCredentials: PluginCredentials): TlsOptions {
    const { cluster, user, source } = this.#config;
    const readData = (field: string, data: string | undefined, file: string | undefined) => {
      if (data !== undefined) return Buffer.from(data, 'base64');
      return file === undefined ? undefined : readReferencedFile(source, field, file);
    };
    const ca = readData('certificate-authority', cluster.caData, cluster.caFile);
    const hasCert = user.certData !== undefined || user.certFile !== undefined;
    const cert = pluginCredentials.cert ?? readData('client-certificate', user.certData, user.certFile);
    const key = pluginCredentials.key ?? (hasCert ? readData('client-key', user.keyData, user.keyFile) : undefined);
    return omitUndefined({
      ca: ca && checkCaCertificates(source, ca),
      cert: cert && key && checkKeyPair(source, cert, key),
      key,
      servername: cluster.tlsServerName,
      rejectUnauthorized: cluster.skipTlsVerify ? false : undefined,
    });
  }

  #getAuthorization(user: UserConfig, pluginCredentials: PluginCredentials): string | undefined {
    const token = pluginCredentials.token ?? this.#readToken(user);
    if (token !== undefined) return `Bearer ${token}`;
    return user.username === undefined ? undefined : formatBasicAuth(`${user.username}:${user.password ?? ''}`);
  }

  /** If the token file is deleted, returns the last token, as client-go does. */
  #readToken({ tokenFile }: UserConfig): string | undefined {
    if (tokenFile === undefined) return this.#token;
    const { source } = this.#config;
    try {
      const token = readReferencedFile(source, 'tokenFile', tokenFile)
        .toString('utf8')
        .replace(SURROUNDING_WHITE_SPACE_PATTERN, '');
      if (token === '') throw createKubeConfigError(source, `tokenFile ${tokenFile} is empty; write a token into it`);
      this.#token = token;
    } catch (error) {
      if (this.#token === undefined) throw error;
    }
    return this.#token;
  }

  #encodeHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Credentials['headers'] {
    const entries = Object.entries(headers).map(([name, value]) => {
      if (value === undefined || typeof value === 'string')
        return [name, value && this.#encodeHeaderValue(name, value)];
      return [name, value.map((each) => this.#encodeHeaderValue(name, each))];
    });
    return omitUndefined(Object.fromEntries(entries));
  }

  /** Encodes the header value in UTF-8, because Node would encode it in Latin-1. */
  #encodeHeaderValue(name: string, value: string): string {
    const trimmedValue = value.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
    const field = name === 'Authorization' ? 'the token, or the username and password,' : `the value of ${name}`;
    if (CONTROL_CHARACTER_PATTERN.test(value)) {
      throw createKubeConfigError(
        this.#config.source,
        `${field} contains a line break or another control character; remove it`,
      );
    }
    return Buffer.from(trimmedValue, 'utf8').toString('latin1');
  }
}

/** White space at the start or the end of a text, by the definition of `unicode.IsSpace` in Go. */
const SURROUNDING_WHITE_SPACE_PATTERN = /^(?:(?!\ufeff)[\s\u0085])+|(?:(?!\ufeff)[\s\u0085])+$/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression must match control characters
const CONTROL_CHARACTER_PATTERN = /[\u0000-\u0008\u000a-\u001f\u007f]/;

function hasCredentials({ token, tokenFile, username, certData, certFile }: UserConfig): boolean {
  return [token, tokenFile, username, certData, certFile].some((each) => each !== undefined);
}

function buildImpersonationHeaders({
  user,
  uid,
  groups,
  extra,
}: Impersonation): Record<string, string | readonly string[]> {
  const extraHeaders = Object.entries(extra).map(([key, values]) => [
    `Impersonate-Extra-${escapeHeaderKey(key)}`,
    values,
  ]);
  return {
    'Impersonate-User': user,
    ...(uid !== undefined && { 'Impersonate-Uid': uid }),
    ...(groups.length > 0 && { 'Impersonate-Group': groups }),
    ...Object.fromEntries(extraHeaders),
  };
}

/** Escapes characters that a header name must not contain. For example, `/` becomes `%2F`. */
function escapeHeaderKey(text: string): string {
  const binaryText = Buffer.from(text.toLowerCase(), 'utf8').toString('latin1');
  return binaryText.replaceAll(
    /[^A-Za-z0-9!#$&'*+.^_`|~-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function buildProxyOption({ proxyUrl, environmentProxy }: ClusterConfig): Pick<Credentials, 'proxy'> {
  if (proxyUrl !== undefined) return { proxy: { url: proxyUrl, source: 'proxy-url in the kubeconfig' } };
  return environmentProxy === undefined ? {} : { proxy: environmentProxy };
}

type WithoutUndefined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function omitUndefined<T extends object>(optionalFields: T): WithoutUndefined<T> {
  // The filter removes the fields that are undefined.
  return Object.fromEntries(
    Object.entries(optionalFields).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<T>;
}
