/** Credentials from a program that the kubeconfig names: client.authentication.k8s.io, as client-go implements it. */
import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import type { Clock } from '../../clock/clock.ts';
import { withTimeout } from '../../clock/timeout.ts';
import { isRecord } from '../../kubernetes/is-record.ts';
import { decodeYaml, readJsonOrYaml } from '../../yaml/read-yaml.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { isString } from './fields.ts';
import { findExecutable } from './find-executable.ts';
import type { ClusterConfig, ExecPlugin, KubeConfig } from './kubeconfig.ts';
import { getErrorCode, kubeConfigError } from './kubeconfig-error.ts';
import { readBytes } from './read-file.ts';

/** The credentials that a plugin returns. */
export interface PluginCredentials {
  readonly token?: string | undefined;
  /** PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface ExecOptions {
  readonly clock: Clock;
  /** Timeout of the plugin, in milliseconds; interactive plugins have no timeout. Infinity means no timeout. */
  readonly timeoutMs: number;
  /** Whether standard input is a terminal that a plugin may read from. Default: detected. */
  readonly hasTerminal?: boolean | undefined;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const STDIN = 0;
const EXEC_CREDENTIAL_KIND = 'ExecCredential';

/** Runs the plugin at the first request, and again when its credentials have expired. */
export class ExecCredentials {
  readonly #plugin: ExecPlugin;
  readonly #config: KubeConfig;
  readonly #options: ExecOptions;
  #latest: { readonly credentials: PluginCredentials; readonly expiresAt: Date | undefined } | undefined;

  constructor(plugin: ExecPlugin, config: KubeConfig, options: ExecOptions) {
    this.#plugin = plugin;
    this.#config = config;
    this.#options = options;
  }

  /** @param signal Ends the plugin. */
  async current(signal: AbortSignal): Promise<PluginCredentials> {
    const { expiresAt } = this.#latest ?? {};
    const isValid = this.#latest !== undefined && (expiresAt === undefined || this.#options.clock.now() < expiresAt);
    if (!isValid) this.#latest = this.#parseOutput(await this.#runWithTimeout(signal));
    return this.#latest?.credentials ?? {};
  }

  async #runWithTimeout(signal: AbortSignal): Promise<Buffer> {
    const { clock, timeoutMs, hasTerminal = isatty(STDIN) } = this.#options;
    const { interactiveMode } = this.#plugin;
    if (interactiveMode === 'Always' && !hasTerminal) {
      throw this.#pluginError(
        'needs a terminal (interactiveMode Always), but standard input is not one; use another plugin or another user',
      );
    }
    const isInteractive = interactiveMode !== 'Never' && hasTerminal;
    if (isInteractive || timeoutMs === Number.POSITIVE_INFINITY) return await this.#run(isInteractive, signal);
    const { message } = this.#pluginError(`timed out after ${timeoutMs / 1000} s; run it by hand to see why`);
    return await withTimeout({ clock, timeoutMs, signal, message }, (timeoutSignal) => this.#run(false, timeoutSignal));
  }

  /** Returns the plugin's output. Its standard error is inherited, because it shows instructions to users there. */
  #run(isInteractive: boolean, signal: AbortSignal): Promise<Buffer> {
    const { command, args, env, installHint } = this.#plugin;
    const file = findExecutable(command, process.env['PATH'] ?? '');
    if (file === undefined)
      throw this.#pluginError(`is not installed; ${installHint ?? 'install it, or correct its path'}`);
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const child = spawn(file, args, {
      env: { ...process.env, ...variables, KUBERNETES_EXEC_INFO: this.#buildExecInfo(isInteractive) },
      stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
      signal,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_OUTPUT_BYTES) chunks.push(chunk);
      else child.kill();
    });
    child.on('error', (error) => {
      reject(
        signal.aborted
          ? signal.reason
          : this.#pluginError(`cannot be run (${getErrorCode(error)}); correct it, or its path`),
      );
    });
    child.on('close', (code, name) => {
      if (signal.aborted) reject(signal.reason);
      else if (bytes > MAX_OUTPUT_BYTES)
        reject(this.#pluginError('printed more than 16 MiB; run it by hand to see why'));
      else if (code === 0) resolve(Buffer.concat(chunks));
      else
        reject(
          this.#pluginError(`failed with ${code === null ? name : `exit code ${code}`}; run it by hand to see why`),
        );
    });
    return promise;
  }

  /** The value of KUBERNETES_EXEC_INFO. */
  #buildExecInfo(interactive: boolean): string {
    const { apiVersion, provideClusterInfo } = this.#plugin;
    const { cluster, source } = this.#config;
    const spec = { ...(provideClusterInfo && { cluster: buildClusterInfo(cluster, source) }), interactive };
    return JSON.stringify({ kind: EXEC_CREDENTIAL_KIND, apiVersion, spec });
  }

  #parseOutput(stdout: Buffer) {
    const output = parseJsonOrYaml(stdout);
    const { apiVersion, kind = apiVersion && EXEC_CREDENTIAL_KIND, status } = isRecord(output) ? output : {};
    if (kind !== EXEC_CREDENTIAL_KIND) {
      throw this.#pluginError('did not print an ExecCredential; run it by hand to see what it prints');
    }
    if (apiVersion !== this.#plugin.apiVersion) {
      throw this.#pluginError(`does not use ${this.#plugin.apiVersion}; set apiVersion to the version that it prints`);
    }
    const readText = (name: string) => {
      const value = (isRecord(status) ? status[name] : undefined) ?? '';
      if (!isString(value))
        throw this.#pluginError(`printed a ${name} that is not a string; run it by hand to see why`);
      return value || undefined;
    };
    const credentials = {
      token: readText('token'),
      cert: readText('clientCertificateData'),
      key: readText('clientKeyData'),
    };
    const isHalf = (credentials.cert === undefined) !== (credentials.key === undefined);
    if (isHalf || (credentials.token ?? credentials.cert) === undefined) {
      throw this.#pluginError('printed neither a token nor a certificate with its key; run it by hand to see why');
    }
    return { credentials, expiresAt: this.#parseExpiry(readText('expirationTimestamp')) };
  }

  #parseExpiry(text: string | undefined): Date | undefined {
    if (text === undefined) return undefined;
    const expiry = new Date(RFC3339.test(text) ? text : Number.NaN);
    if (!Number.isNaN(expiry.getTime())) return expiry;
    throw this.#pluginError('printed an expirationTimestamp that is not an RFC 3339 time; run it by hand to see it');
  }

  #pluginError(what: string): Error {
    return kubeConfigError(this.#config.source, `the exec plugin ${this.#plugin.command} ${what}`);
  }
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function buildClusterInfo(cluster: ClusterConfig, source: string): object {
  const { server, tlsServerName, skipTlsVerify, caData, caFile, proxyUrl, disableCompression, execConfig } = cluster;
  return {
    server: server.href.replace(/\/$/, ''),
    'tls-server-name': tlsServerName,
    'insecure-skip-tls-verify': skipTlsVerify || undefined,
    'certificate-authority-data':
      caData?.replaceAll(/[\r\n]/g, '') ??
      (caFile && readBytes(source, 'certificate-authority', caFile).toString('base64')),
    'proxy-url': proxyUrl?.href,
    'disable-compression': disableCompression || undefined,
    config: execConfig ?? null,
  };
}

/** Parses JSON with nothing after it, or YAML. */
function parseJsonOrYaml(bytes: Buffer): unknown {
  try {
    const text = decodeYaml(bytes);
    return text.trimStart().startsWith('{') ? JSON.parse(text) : readJsonOrYaml(text);
  } catch (error) {
    // The error message quotes the text, so only its kind is reported.
    if (error instanceof YamlError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
