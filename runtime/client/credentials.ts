import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock/clock.ts';
import { Authenticator } from './kubeconfig/authenticator.ts';
import { ExecCredentialProvider, type ExecOptions } from './kubeconfig/exec-plugin.ts';
import type { KubeConfig } from './kubeconfig/kubeconfig.ts';
import type { Credentials } from './server-credentials.ts';

/**
 * Interval at which the client reads token and certificate files again, and runs exec plugins whose credentials have
 * expired.
 */
const CACHE_TTL_MS = 10_000;
/**
 * Timeout of an exec plugin that cannot use a terminal. Without a timeout, a plugin that hangs would block an
 * unattended program.
 */
const EXEC_TIMEOUT_MS = 30_000;

/** Options of {@link KubeConfigCredentials}. */
export type CredentialsOptions = Partial<Pick<ExecOptions, 'hasTerminal'>> & {
  /** Timeout of a non-interactive exec plugin, in milliseconds. Default 30 s. */
  readonly execTimeoutMs?: number;
};

/** Provides the credentials of a kubeconfig, and refreshes them automatically. */
export class KubeConfigCredentials {
  readonly #load: () => KubeConfig;
  readonly #clock: Clock;
  readonly #execOptions: ExecOptions;
  readonly #abortController = new AbortController();
  #authenticator: Authenticator | undefined;
  #cache: CredentialsCache | undefined;

  /** @param load Loads the kubeconfig. The class calls `load` before the first request and at each {@link refresh}. */
  constructor(load: () => KubeConfig, clock: Clock, options: CredentialsOptions = {}) {
    this.#load = load;
    this.#clock = clock;
    this.#execOptions = {
      clock,
      timeoutMs: options.execTimeoutMs ?? EXEC_TIMEOUT_MS,
      hasTerminal: options.hasTerminal,
    };
  }

  /**
   * Loads the kubeconfig before the first request, so that a program with an invalid kubeconfig fails at its start.
   * Throws the errors of the function `load`.
   */
  load(): void {
    this.#getAuthenticator();
  }

  /**
   * Returns credentials that are at most {@link CACHE_TTL_MS} old. Rejects if it cannot read a file, or if an exec
   * plugin fails.
   */
  current(): Credentials | Promise<Credentials> {
    const nowMs = this.#clock.monotonicMs();
    const isExpired = nowMs - (this.#cache?.readAtMs ?? 0) >= CACHE_TTL_MS;
    // An exec plugin that waits for a user may run longer than `CACHE_TTL_MS`, but must not run twice.
    if (this.#cache === undefined || (this.#cache.credentials && isExpired)) this.#cache = this.#startRead(nowMs);
    return this.#cache.credentials ?? this.#cache.promise;
  }

  /**
   * Loads the kubeconfig again after the API server has responded with 401, unless newer credentials are already in
   * use.
   */
  refresh(rejectedCredentials: Credentials): void {
    if (!isDeepStrictEqual(this.#cache?.credentials, rejectedCredentials)) return;
    this.#authenticator = this.#createAuthenticator(this.#load());
    this.#cache = undefined;
  }

  /** Stops a running exec plugin. */
  close(): void {
    this.#abortController.abort();
  }

  #getAuthenticator(): Authenticator {
    this.#authenticator ??= this.#createAuthenticator(this.#load());
    return this.#authenticator;
  }

  #createAuthenticator(config: KubeConfig): Authenticator {
    const { exec } = config.user;
    return new Authenticator(config, exec && new ExecCredentialProvider(exec, config, this.#execOptions));
  }

  #startRead(readAtMs: number): CredentialsCache {
    const promise = this.#authenticate();
    const cache: CredentialsCache = { readAtMs, promise };
    const onSuccess = (credentials: Credentials) => {
      cache.credentials = credentials;
    };
    const onFailure = () => {
      if (this.#cache === cache) this.#cache = undefined;
    };
    promise.then(onSuccess, onFailure);
    return cache;
  }

  async #authenticate(): Promise<Credentials> {
    return await this.#getAuthenticator().getCredentials(this.#abortController.signal);
  }
}

interface CredentialsCache {
  readonly readAtMs: number;
  readonly promise: Promise<Credentials>;
  credentials?: Credentials;
}
