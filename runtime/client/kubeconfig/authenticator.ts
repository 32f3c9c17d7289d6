/** How to show a server who we are: from the user of a kubeconfig to TLS options and headers. */
import type { Clock } from '../../clock/clock.ts';
import type { Credentials } from '../server-credentials.ts';
import { ExecCredentials, type PluginCredentials, readBytes } from './exec-plugin.ts';
import type { Cluster, Impersonation, KubeConfig, User } from './kubeconfig.ts';
import { problem } from './problem.ts';

export class Authenticator {
  readonly #config: KubeConfig;
  readonly #plugin: ExecCredentials | undefined;
  /** That the token file had when it could be read last. */
  #token: string | undefined;

  constructor(config: KubeConfig, clock: Clock) {
    this.#config = config;
    const { exec, token } = config.user;
    this.#plugin = exec && new ExecCredentials(exec, config, clock);
    this.#token = token;
  }

  /** Reads files anew. Throws a ConfigurationError that says what is wrong with them, or with an exec plugin. */
  async credentials(signal: AbortSignal): Promise<Credentials> {
    const { cluster, user, source } = this.#config;
    const plugin: PluginCredentials = (await this.#plugin?.current(signal)) ?? {};
    const bytes = (field: string, data: string | undefined, file: string | undefined) => {
      if (data !== undefined) return Buffer.from(data, 'base64');
      return file === undefined ? undefined : readBytes(source, field, file);
    };
    const tls = {
      ca: bytes('certificate-authority', cluster.caData, cluster.caFile),
      cert: plugin.cert ?? bytes('client-certificate', user.certData, user.certFile),
      key: plugin.key ?? bytes('client-key', user.keyData, user.keyFile),
      servername: cluster.tlsServerName,
      rejectUnauthorized: cluster.skipTlsVerify ? false : undefined,
    };
    const authorization = this.#authorization(user, plugin);
    return {
      server: cluster.server,
      ...(cluster.proxyUrl && { proxy: cluster.proxyUrl }),
      tls: definedOf(tls),
      headers: {
        ...(authorization !== undefined && { Authorization: authorization }),
        ...(user.impersonate && impersonationHeaders(user.impersonate)),
      },
    };
  }

  #authorization(user: User, plugin: PluginCredentials): string | undefined {
    const token = plugin.token ?? this.#currentToken(user);
    if (token !== undefined) return `Bearer ${token}`;
    if (user.username === undefined) return undefined;
    return `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`;
  }

  /** As in client-go, a token that was read once is used on when the file goes. */
  #currentToken({ tokenFile }: User): string | undefined {
    if (tokenFile === undefined) return this.#token;
    const { source } = this.#config;
    try {
      const token = readBytes(source, 'tokenFile', tokenFile).toString('utf8').trim();
      if (token === '') throw problem(source, `tokenFile ${tokenFile} is empty; write a token into it`);
      this.#token = token;
    } catch (error) {
      if (this.#token === undefined) throw error;
    }
    return this.#token;
  }
}

/** As client-go names and spells them. */
function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Record<string, string | string[]> {
  const extras = Object.entries(extra).map(([key, values]) => [
    `Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`,
    [...values],
  ]);
  return {
    'Impersonate-User': user,
    ...(uid !== undefined && { 'Impersonate-Uid': uid }),
    ...(groups.length > 0 && { 'Impersonate-Group': [...groups] }),
    ...Object.fromEntries(extras),
  };
}

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function definedOf<T extends object>(values: T): Defined<T> {
  // The entries left are those of T without undefined.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** The service account of the pod. */
export function inCluster(folder: string, environment: Readonly<Record<string, string | undefined>>): KubeConfig {
  const source = 'of the service account';
  const [host, port] = [environment['KUBERNETES_SERVICE_HOST'], environment['KUBERNETES_SERVICE_PORT']];
  const server = host && port ? URL.parse(`https://${host.includes(':') ? `[${host}]` : host}:${port}`) : null;
  if (server === null) {
    throw problem(
      source,
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name no server; give --kubeconfig instead',
    );
  }
  const cluster: Cluster = { server, skipTlsVerify: false, caFile: `${folder}/ca.crt` };
  return { source, cluster, user: { name: 'service account', tokenFile: `${folder}/token` } };
}
