/** Credentials from a program that the kubeconfig names: client.authentication.k8s.io, as client-go speaks it. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Clock } from '../../clock/clock.ts';
import type { Cluster, ExecPlugin, KubeConfig } from './kubeconfig.ts';
import { codeOf, problem } from './problem.ts';
import { isMapping, isText } from './read-file.ts';

/** What a plugin answers with. */
export interface PluginCredentials {
  readonly token?: string | undefined;
  /** PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Runs the plugin when it is asked the first time, and again when what it answered has expired. */
export class ExecCredentials {
  readonly #plugin: ExecPlugin;
  readonly #config: KubeConfig;
  readonly #clock: Clock;
  #latest: { readonly credentials: PluginCredentials; readonly expiresAt: Date | undefined } | undefined;

  constructor(plugin: ExecPlugin, config: KubeConfig, clock: Clock) {
    this.#plugin = plugin;
    this.#config = config;
    this.#clock = clock;
  }

  /** @param signal Ends the plugin. */
  async current(signal: AbortSignal): Promise<PluginCredentials> {
    const { expiresAt } = this.#latest ?? {};
    const isValid = this.#latest !== undefined && (expiresAt === undefined || this.#clock.now() < expiresAt);
    if (!isValid) this.#latest = this.#read(await this.#run(signal));
    return this.#latest?.credentials ?? {};
  }

  #run(signal: AbortSignal): Promise<string> {
    const { command, args, env, installHint } = this.#plugin;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const environment = { ...process.env, ...given, KUBERNETES_EXEC_INFO: this.#info() };
    const options = { env: environment, signal, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8' } as const;
    // Its error has the arguments in it, and what the plugin wrote: neither is shown.
    const child = execFile(command, args, options, (error, stdout) => {
      if (signal.aborted) reject(signal.reason);
      else if (error === null) resolve(stdout);
      else if (typeof error.code !== 'string') reject(this.#problem('failed; run it by hand to see why'));
      else reject(this.#problem(`cannot be run (${error.code}); ${installHint ?? 'install it, or correct its path'}`));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end();
    return promise;
  }

  /** The value of KUBERNETES_EXEC_INFO. */
  #info(): string {
    const { apiVersion, provideClusterInfo } = this.#plugin;
    const { cluster, source } = this.#config;
    const spec = { interactive: false, ...(provideClusterInfo && { cluster: clusterInfo(cluster, source) }) };
    return JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
  }

  #read(stdout: string) {
    const answer = parse(stdout);
    const status = isMapping(answer) ? answer['status'] : undefined;
    if (!isMapping(answer) || answer['kind'] !== 'ExecCredential' || !isMapping(status)) {
      throw this.#problem('printed no ExecCredential; run it by hand to see what it prints');
    }
    if (answer['apiVersion'] !== this.#plugin.apiVersion) {
      throw this.#problem(`does not answer in ${this.#plugin.apiVersion}; set the apiVersion that it answers in`);
    }
    const text = (name: string) => (isText(status[name]) && status[name] !== '' ? status[name] : undefined);
    const credentials = { token: text('token'), cert: text('clientCertificateData'), key: text('clientKeyData') };
    if (credentials.token === undefined && (credentials.cert === undefined || credentials.key === undefined)) {
      throw this.#problem('printed neither a token nor a certificate with its key; run it by hand to see why');
    }
    const expiry = new Date(text('expirationTimestamp') ?? Number.NaN);
    return { credentials, expiresAt: Number.isNaN(expiry.getTime()) ? undefined : expiry };
  }

  #problem(what: string): Error {
    return problem(this.#config.source, `the exec plugin ${this.#plugin.command} ${what}`);
  }
}

function clusterInfo(cluster: Cluster, source: string): object {
  const { server, tlsServerName, skipTlsVerify, caData, caFile, proxyUrl, execConfig } = cluster;
  return {
    server: server.href.replace(/\/$/, ''),
    'tls-server-name': tlsServerName,
    'insecure-skip-tls-verify': skipTlsVerify || undefined,
    'certificate-authority-data':
      caData ?? (caFile && readBytes(source, 'certificate-authority', caFile).toString('base64')),
    'proxy-url': proxyUrl?.href,
    config: execConfig,
  };
}

/** The content of a file that a field names. */
export function readBytes(source: string, field: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw problem(source, `${field} ${file} cannot be read (${codeOf(error)}); give a file that the manager may read`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the parser's error quotes what it could not read
  }
}
