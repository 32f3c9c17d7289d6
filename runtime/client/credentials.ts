/** Credentials of a kubeconfig or of the Pod's ServiceAccount, refreshed automatically. */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock/clock.ts';
import { Authenticator } from './kubeconfig/authenticator.ts';
import { ExecCredentials, type ExecOptions } from './kubeconfig/exec-plugin.ts';
import type { KubeConfig } from './kubeconfig/kubeconfig.ts';
import type { Credentials } from './server-credentials.ts';

/** After this time the client reads files and tokens again, and runs exec plugins whose credentials have expired. */
const CACHE_MS = 10_000;
/** Timeout of an exec plugin without a terminal: it must not block an unattended program. */
const EXEC_TIMEOUT_MS = 30_000;

export type CredentialsOptions = Partial<Pick<ExecOptions, 'hasTerminal'>> & {
  /** Timeout of a non-interactive exec plugin, in milliseconds. Default 30 s. */
  readonly execTimeoutMs?: number;
};

/** The credentials of a kubeconfig's current context, refreshed automatically. */
export class KubeConfigCredentials {
  readonly #load: () => KubeConfig;
  readonly #clock: Clock;
  readonly #exec: ExecOptions;
  readonly #closed = new AbortController();
  #authenticator: Authenticator | undefined;
  #latest: CredentialsRead | undefined;

  /** @param load Called at the first use and after every {@link refresh}. */
  constructor(load: () => KubeConfig, clock: Clock, options: CredentialsOptions = {}) {
    this.#load = load;
    this.#clock = clock;
    this.#exec = { clock, timeoutMs: options.execTimeoutMs ?? EXEC_TIMEOUT_MS, hasTerminal: options.hasTerminal };
  }

  /**
   * Reads the kubeconfig now, so that a program without a valid one fails at its start. Throws the errors of `load`.
   */
  load(): void {
    this.#getAuthenticator();
  }

  /** At most {@link CACHE_MS} old. Rejects when a file cannot be read, or a plugin fails or times out. */
  current(): Credentials | Promise<Credentials> {
    const nowMs = this.#clock.monotonicMs();
    const isOld = nowMs - (this.#latest?.readAtMs ?? 0) >= CACHE_MS;
    // Does not run an exec plugin again while it waits for a user.
    if (this.#latest === undefined || (this.#latest.resolved && isOld)) this.#latest = this.#startRead(nowMs);
    return this.#latest.resolved ?? this.#latest.credentials;
  }

  /** The server answered 401 to `rejected`: reads the kubeconfig again, unless newer credentials have been read since. */
  refresh(rejected: Credentials): void {
    if (!isDeepStrictEqual(this.#latest?.resolved, rejected)) return;
    this.#authenticator = this.#createAuthenticator(this.#load());
    this.#latest = undefined;
  }

  /** Ends an exec plugin that is running. */
  close(): void {
    this.#closed.abort();
  }

  #getAuthenticator(): Authenticator {
    this.#authenticator ??= this.#createAuthenticator(this.#load());
    return this.#authenticator;
  }

  #createAuthenticator(config: KubeConfig): Authenticator {
    const { exec } = config.user;
    return new Authenticator(config, exec && new ExecCredentials(exec, config, this.#exec));
  }

  #startRead(readAtMs: number): CredentialsRead {
    const credentials = this.#authenticate();
    const reading: CredentialsRead = { readAtMs, credentials };
    const onSuccess = (resolved: Credentials) => {
      reading.resolved = resolved;
    };
    const onFailure = () => {
      if (this.#latest === reading) this.#latest = undefined;
    };
    credentials.then(onSuccess, onFailure);
    return reading;
  }

  async #authenticate(): Promise<Credentials> {
    return await this.#getAuthenticator().credentials(this.#closed.signal);
  }
}

interface CredentialsRead {
  readonly readAtMs: number;
  readonly credentials: Promise<Credentials>;
  resolved?: Credentials;
}
