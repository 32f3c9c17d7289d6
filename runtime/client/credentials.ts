/** Where the API server is and how to authenticate there, from a kubeconfig or the pod's service account. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock/clock.ts';
import { withTimeout } from '../clock/timeout.ts';
import { ConfigurationError } from '../configuration-error.ts';
import { Authenticator, inCluster } from './kubeconfig/authenticator.ts';
import { type KubeConfig, readKubeConfig } from './kubeconfig/kubeconfig.ts';
import type { Credentials } from './server-credentials.ts';

/**
 * Reads the kubeconfig at `path`; without one, in this order: the files that `KUBECONFIG` names, the ServiceAccount of the
 * pod, `~/.kube/config`. Throws a {@link ConfigurationError} when there is none, or when it cannot be used.
 * @param context Name of a context of it. Default: the current context.
 */
export function loadKubeConfig(path?: string, context?: string): KubeConfig {
  if (path !== undefined) return readKubeConfig([path], context);
  const files = process.env['KUBECONFIG']?.split(delimiter).filter((file) => file !== '') ?? [];
  if (files.length > 0) return readKubeConfig(files, context);
  // A ServiceAccount has no contexts.
  if (context === undefined && existsSync(`${SERVICE_ACCOUNT}/token`)) return inCluster(SERVICE_ACCOUNT, process.env);
  if (existsSync(HOME_KUBECONFIG)) return readKubeConfig([HOME_KUBECONFIG], context);
  throw new ConfigurationError(`no kubeconfig found: give --kubeconfig, set KUBECONFIG, or create ${HOME_KUBECONFIG}`);
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const HOME_KUBECONFIG = join(homedir(), '.kube', 'config');

/** Files and tokens are read again after this long, and exec plugins asked whose answer has expired. */
const REREAD_AFTER_MS = 10_000;
const READ_TIMEOUT_MS = 30_000;
const NOT_READ =
  `kubeconfig: no credentials within ${READ_TIMEOUT_MS / 1000} s; ` +
  'check that the exec plugin of the current user answers when it is run by hand';

/** The credentials of a kubeconfig's current context, kept fresh. */
export class KubeConfigCredentials {
  readonly #load: () => KubeConfig;
  readonly #clock: Clock;
  #authenticator: Authenticator | undefined;
  #latest: Reading | undefined;

  /** @param load Called at the first use, and again on every {@link refresh}. */
  constructor(load: () => KubeConfig, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  /** Reads the kubeconfig now, once. Throws what `load` throws: a program that begins with this fails at its start. */
  load(): void {
    this.#loaded();
  }

  /**
   * At most {@link REREAD_AFTER_MS} old, and at once when they are there: each request asks. Rejects when a file cannot be read, or a
   * plugin fails or does not answer.
   */
  current(): Credentials | Promise<Credentials> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#latest === undefined || nowMs - this.#latest.readAtMs >= REREAD_AFTER_MS) {
      this.#latest = this.#read(nowMs);
    }
    return this.#latest.resolved ?? this.#latest.credentials;
  }

  /**
   * The server answered 401 to `refused`: forgets every cached token and reads the kubeconfig anew. Does nothing when newer
   * credentials have been read since, as the first of many refused requests sees to it.
   */
  refresh(refused: Credentials): void {
    if (!isDeepStrictEqual(this.#latest?.resolved, refused)) return;
    this.#authenticator = new Authenticator(this.#load(), this.#clock);
    this.#latest = undefined;
  }

  #loaded(): Authenticator {
    this.#authenticator ??= new Authenticator(this.#load(), this.#clock);
    return this.#authenticator;
  }

  #read(readAtMs: number): Reading {
    const limit = { clock: this.#clock, timeoutMs: READ_TIMEOUT_MS, message: NOT_READ };
    const credentials = withTimeout(limit, async (signal) => await this.#loaded().credentials(signal));
    const reading: Reading = { readAtMs, credentials };
    const keep = (resolved: Credentials) => {
      reading.resolved = resolved;
    };
    const forget = () => {
      if (this.#latest === reading) this.#latest = undefined;
    };
    credentials.then(keep, forget);
    return reading;
  }
}

interface Reading {
  readonly readAtMs: number;
  readonly credentials: Promise<Credentials>;
  resolved?: Credentials;
}
