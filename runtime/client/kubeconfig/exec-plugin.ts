/** Credentials from a program that the kubeconfig names: client.authentication.k8s.io, as client-go implements it. */
import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import type { Clock } from '../../clock/clock.ts';
import { withTimeout } from '../../clock/timeout.ts';
import { isRecord } from '../../kubernetes/is-record.ts';
import { decodeYaml, readJsonOrYaml } from '../../yaml/read-yaml.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { executableIn } from './executable.ts';
import { isText } from './fields.ts';
import type { Cluster, ExecPlugin, KubeConfig } from './kubeconfig.ts';
import { codeOf, problem } from './problem.ts';
import { readBytes } from './read-file.ts';

/** The answer of a plugin. */
export interface PluginCredentials {
  readonly token?: string | undefined;
  /** PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface ExecOptions {
  readonly clock: Clock;
  /** Timeout of an answer, in milliseconds; interactive plugins have no timeout. Infinity means no timeout. */
  readonly timeoutMs: number;
  /** Whether standard input is a terminal that a plugin may read from. Default: detected. */
  readonly hasTerminal?: boolean | undefined;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const STDIN = 0;
const KIND = 'ExecCredential';

/** Runs the plugin at the first request, and again when its answer has expired. */
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
    if (!isValid) this.#latest = this.#read(await this.#answer(signal));
    return this.#latest?.credentials ?? {};
  }

  async #answer(signal: AbortSignal): Promise<Buffer> {
    const { clock, timeoutMs, hasTerminal = isatty(STDIN) } = this.#options;
    const { interactiveMode } = this.#plugin;
    if (interactiveMode === 'Always' && !hasTerminal) {
      throw this.#problem(
        'asks the person at the terminal (interactiveMode Always), and there is none; use another way',
      );
    }
    const isInteractive = interactiveMode !== 'Never' && hasTerminal;
    if (isInteractive || timeoutMs === Number.POSITIVE_INFINITY) return await this.#run(isInteractive, signal);
    const { message } = this.#problem(`did not answer within ${timeoutMs / 1000} s; run it by hand to see why`);
    return await withTimeout({ clock, timeoutMs, signal, message }, (limited) => this.#run(false, limited));
  }

  /** Returns the plugin's output. Its standard error is inherited, because it shows instructions to users there. */
  #run(isInteractive: boolean, signal: AbortSignal): Promise<Buffer> {
    const { command, args, env, installHint } = this.#plugin;
    const file = executableIn(command, process.env['PATH'] ?? '');
    if (file === undefined)
      throw this.#problem(`is not installed; ${installHint ?? 'install it, or correct its path'}`);
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const child = spawn(file, args, {
      env: { ...process.env, ...given, KUBERNETES_EXEC_INFO: this.#info(isInteractive) },
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
        signal.aborted ? signal.reason : this.#problem(`cannot be run (${codeOf(error)}); correct it, or its path`),
      );
    });
    child.on('close', (code, name) => {
      if (signal.aborted) reject(signal.reason);
      else if (bytes > MAX_OUTPUT_BYTES) reject(this.#problem('printed more than 16 MiB; run it by hand to see why'));
      else if (code === 0) resolve(Buffer.concat(chunks));
      else
        reject(this.#problem(`failed with ${code === null ? name : `exit code ${code}`}; run it by hand to see why`));
    });
    return promise;
  }

  /** The value of KUBERNETES_EXEC_INFO. */
  #info(interactive: boolean): string {
    const { apiVersion, provideClusterInfo } = this.#plugin;
    const { cluster, source } = this.#config;
    const spec = { ...(provideClusterInfo && { cluster: clusterInfo(cluster, source) }), interactive };
    return JSON.stringify({ kind: KIND, apiVersion, spec });
  }

  #read(stdout: Buffer) {
    const answer = parse(stdout);
    const { apiVersion, kind = apiVersion && KIND, status } = isRecord(answer) ? answer : {};
    if (kind !== KIND) {
      throw this.#problem('printed no ExecCredential; run it by hand to see what it prints');
    }
    if (apiVersion !== this.#plugin.apiVersion) {
      throw this.#problem(`does not answer in ${this.#plugin.apiVersion}; set the apiVersion that it answers in`);
    }
    const text = (name: string) => {
      const value = (isRecord(status) ? status[name] : undefined) ?? '';
      if (!isText(value)) throw this.#problem(`printed a ${name} that is no text; run it by hand to see why`);
      return value || undefined;
    };
    const credentials = { token: text('token'), cert: text('clientCertificateData'), key: text('clientKeyData') };
    const isHalf = (credentials.cert === undefined) !== (credentials.key === undefined);
    if (isHalf || (credentials.token ?? credentials.cert) === undefined) {
      throw this.#problem('printed neither a token nor a certificate with its key; run it by hand to see why');
    }
    return { credentials, expiresAt: this.#expiry(text('expirationTimestamp')) };
  }

  #expiry(text: string | undefined): Date | undefined {
    if (text === undefined) return undefined;
    const expiry = new Date(RFC3339.test(text) ? text : Number.NaN);
    if (!Number.isNaN(expiry.getTime())) return expiry;
    throw this.#problem('printed an expirationTimestamp that is no time of RFC 3339; run it by hand to see it');
  }

  #problem(what: string): Error {
    return problem(this.#config.source, `the exec plugin ${this.#plugin.command} ${what}`);
  }
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function clusterInfo(cluster: Cluster, source: string): object {
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
function parse(bytes: Buffer): unknown {
  try {
    const text = decodeYaml(bytes);
    return text.trimStart().startsWith('{') ? JSON.parse(text) : readJsonOrYaml(text);
  } catch (error) {
    // The error message quotes the text, so only its kind is reported.
    if (error instanceof YamlError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
