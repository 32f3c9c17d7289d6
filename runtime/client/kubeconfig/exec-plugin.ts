/** Runs exec plugins of a kubeconfig (client.authentication.k8s.io), as client-go does. */
import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import type { Clock } from '../../clock/clock.ts';
import { withTimeout } from '../../clock/timeout.ts';
import { isRecord } from '../../kubernetes/is-record.ts';
import { decodeYaml, readJsonOrYaml } from '../../yaml/read-yaml.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { findExecutable } from './find-executable.ts';
import type { ClusterConfig, ExecPlugin, KubeConfig } from './kubeconfig.ts';
import { createKubeConfigError, getErrorCode } from './kubeconfig-error.ts';
import { isString } from './kubeconfig-fields.ts';
import { readReferencedFile } from './read-kubeconfig-file.ts';

export interface PluginCredentials {
  readonly token?: string | undefined;
  /** Client certificate in PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface ExecOptions {
  readonly clock: Clock;
  /** Timeout of the plugin, in milliseconds. `Infinity` disables the timeout. Interactive plugins have no timeout. */
  readonly timeoutMs: number;
  /** Whether a plugin may read from the terminal. Default: whether standard input is a terminal. */
  readonly hasTerminal?: boolean | undefined;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const STDIN_FD = 0;
const EXEC_CREDENTIAL_KIND = 'ExecCredential';

/** Provides the credentials of an exec plugin. Runs the plugin again when the credentials have expired. */
export class ExecCredentialProvider {
  readonly #plugin: ExecPlugin;
  readonly #config: KubeConfig;
  readonly #options: ExecOptions;
  #cache: { readonly credentials: PluginCredentials; readonly expiresAt: Date | undefined } | undefined;

  constructor(plugin: ExecPlugin, config: KubeConfig, options: ExecOptions) {
    this.#plugin = plugin;
    this.#config = config;
    this.#options = options;
  }

  async getCredentials(signal: AbortSignal): Promise<PluginCredentials> {
    const { expiresAt } = this.#cache ?? {};
    const isValid = this.#cache !== undefined && (expiresAt === undefined || this.#options.clock.now() < expiresAt);
    if (!isValid) this.#cache = this.#parseOutput(await this.#runWithTimeout(signal));
    return this.#cache?.credentials ?? {};
  }

  async #runWithTimeout(signal: AbortSignal): Promise<Buffer> {
    const { clock, timeoutMs, hasTerminal = isatty(STDIN_FD) } = this.#options;
    const { interactiveMode } = this.#plugin;
    if (interactiveMode === 'Always' && !hasTerminal) {
      throw this.#createError(
        'needs a terminal (interactiveMode Always), but standard input is not a terminal; use another plugin or another user',
      );
    }
    const isInteractive = interactiveMode !== 'Never' && hasTerminal;
    if (isInteractive || timeoutMs === Number.POSITIVE_INFINITY) return await this.#run(isInteractive, signal);
    const { message } = this.#createError(`timed out after ${timeoutMs / 1000} s; run it by hand to see why`);
    return await withTimeout({ clock, timeoutMs, signal, message }, (timeoutSignal) => this.#run(false, timeoutSignal));
  }

  /**
   * Returns the output of the plugin. The plugin inherits standard error, to which it writes instructions for users.
   */
  async #run(isInteractive: boolean, signal: AbortSignal): Promise<Buffer> {
    const { command, installHint } = this.#plugin;
    const executable = findExecutable(command, process.env['PATH'] ?? '');
    if (executable === undefined)
      throw this.#createError(`is not installed; ${installHint ?? 'install it, or correct its path'}`);
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const child = this.#spawn(executable, isInteractive, signal);
    const chunks: Buffer[] = [];
    let byteCount = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount <= MAX_OUTPUT_BYTES) chunks.push(chunk);
      else child.kill();
    });
    child.on('error', (error) => {
      reject(signal.aborted ? signal.reason : this.#createSpawnError(error));
    });
    child.on('close', (code, signalName) => {
      if (signal.aborted) reject(signal.reason);
      else if (byteCount > MAX_OUTPUT_BYTES)
        reject(this.#createError('printed more than 16 MiB; run it by hand to see why'));
      else if (code === 0) resolve(Buffer.concat(chunks));
      else
        reject(
          this.#createError(
            `failed with ${code === null ? signalName : `exit code ${code}`}; run it by hand to see why`,
          ),
        );
    });
    return await promise;
  }

  #spawn(executable: string, isInteractive: boolean, signal: AbortSignal) {
    const { args, env } = this.#plugin;
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const execInfo = this.#buildExecInfo(isInteractive);
    try {
      return spawn(executable, args, {
        env: { ...process.env, ...variables, KUBERNETES_EXEC_INFO: execInfo },
        stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
        signal,
      });
    } catch (error) {
      // Node throws for some errors, such as an argument that is too long or contains a NUL.
      throw this.#createSpawnError(error);
    }
  }

  #createSpawnError(error: unknown): Error {
    return this.#createError(`cannot be run (${getErrorCode(error)}); correct its command, args or env`);
  }

  /** Returns the value of the environment variable `KUBERNETES_EXEC_INFO`. */
  #buildExecInfo(isInteractive: boolean): string {
    const { apiVersion, provideClusterInfo } = this.#plugin;
    const { cluster, source } = this.#config;
    const spec = {
      ...(provideClusterInfo && { cluster: buildClusterInfo(cluster, source) }),
      interactive: isInteractive,
    };
    return JSON.stringify({ kind: EXEC_CREDENTIAL_KIND, apiVersion, spec });
  }

  #parseOutput(stdout: Buffer) {
    const output = parseJsonOrYaml(stdout);
    const { apiVersion, kind = apiVersion && EXEC_CREDENTIAL_KIND, status } = isRecord(output) ? output : {};
    if (kind !== EXEC_CREDENTIAL_KIND) {
      throw this.#createError('did not print an ExecCredential; run it by hand to see what it prints');
    }
    if (apiVersion !== this.#plugin.apiVersion) {
      throw this.#createError(`does not use ${this.#plugin.apiVersion}; set apiVersion to the version that it prints`);
    }
    const readStatusField = (name: string) => {
      const value = (isRecord(status) ? status[name] : undefined) ?? '';
      if (!isString(value)) throw this.#createError(`printed ${name}, but not as a string; run it by hand to see why`);
      return value || undefined;
    };
    const credentials = {
      token: readStatusField('token'),
      cert: readStatusField('clientCertificateData'),
      key: readStatusField('clientKeyData'),
    };
    const isIncompletePair = (credentials.cert === undefined) !== (credentials.key === undefined);
    if (isIncompletePair || (credentials.token ?? credentials.cert) === undefined) {
      throw this.#createError('printed neither a token nor a certificate with its key; run it by hand to see why');
    }
    return { credentials, expiresAt: this.#parseExpiry(readStatusField('expirationTimestamp')) };
  }

  #parseExpiry(text: string | undefined): Date | undefined {
    if (text === undefined) return undefined;
    const expiry = new Date(RFC3339_TIME_PATTERN.test(text) ? text.replace(',', '.') : Number.NaN);
    if (!Number.isNaN(expiry.getTime())) return expiry;
    throw this.#createError('printed an expirationTimestamp that is not an RFC 3339 time; run it by hand to see it');
  }

  #createError(problem: string): Error {
    return createKubeConfigError(this.#config.source, `the exec plugin ${this.#plugin.command} ${problem}`);
  }
}

/** Go accepts a comma before the fraction, too. */
const RFC3339_TIME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function buildClusterInfo(cluster: ClusterConfig, source: string): object {
  const { server, tlsServerName, skipTlsVerify, caData, caFile, proxyUrl, disableCompression, execConfig } = cluster;
  return {
    server: server.href.replace(/\/$/, ''),
    'tls-server-name': tlsServerName,
    'insecure-skip-tls-verify': skipTlsVerify || undefined,
    'certificate-authority-data':
      caData?.replaceAll(/[\r\n]/g, '') ??
      (caFile && readReferencedFile(source, 'certificate-authority', caFile).toString('base64')),
    'proxy-url': proxyUrl?.href,
    'disable-compression': disableCompression || undefined,
    config: execConfig ?? null,
  };
}

function parseJsonOrYaml(bytes: Buffer): unknown {
  try {
    const text = decodeYaml(bytes);
    return text.trimStart().startsWith('{') ? JSON.parse(text) : readJsonOrYaml(text);
  } catch (error) {
    // The error message of the parser may contain a token, so the message must not become part of another error.
    if (error instanceof YamlError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
