/** Where the API server is and how to authenticate there, from a kubeconfig; the only importer of client-node's code. */
import { existsSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import type { Clock } from '../clock/clock.ts';
import { withTimeout } from '../clock/timeout.ts';

export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface Credentials {
  readonly server: URL;
  readonly tls: TlsOptions;
  /** Headers that authenticate (and impersonate, if asked for). */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads the kubeconfig at `path`; without one, in this order: the files that `KUBECONFIG` names, the ServiceAccount of the
 * pod, `~/.kube/config`. Throws when there is none, or when it cannot be read.
 */
export function loadKubeConfig(path?: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  if (path !== undefined) kubeConfig.loadFromFile(path);
  else if (process.env['KUBECONFIG']) kubeConfig.loadFromDefault();
  else if (existsSync(SERVICE_ACCOUNT_TOKEN)) kubeConfig.loadFromCluster();
  else if (existsSync(HOME_KUBECONFIG)) kubeConfig.loadFromFile(HOME_KUBECONFIG);
  else throw new Error(`no cluster to talk to: give --kubeconfig, set KUBECONFIG, or put one into ${HOME_KUBECONFIG}`);
  return kubeConfig;
}

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const HOME_KUBECONFIG = join(homedir(), '.kube', 'config');

/** Files, tokens and exec plugins are asked again after this long. client-node itself caches tokens until they expire. */
const REREAD_AFTER_MS = 10_000;
/** client-node waits for an exec plugin for as long as that runs, and every request with it. */
const READ_TIMEOUT_MS = 30_000;
const NOT_READ =
  `kubeconfig: no credentials within ${READ_TIMEOUT_MS / 1000} s; ` +
  'check that the exec plugin of the current user answers when it is run by hand';

/** The credentials of a kubeconfig's current context, kept fresh. */
export class KubeConfigCredentials {
  readonly #load: () => KubeConfig;
  readonly #clock: Clock;
  #kubeConfig: KubeConfig;
  #latest: Reading | undefined;

  /** @param load Called at once, and again on every {@link refresh}. */
  constructor(load: () => KubeConfig, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
    this.#kubeConfig = load();
  }

  /** At most {@link REREAD_AFTER_MS} old. Rejects when the kubeconfig names no cluster, or a plugin fails or does not answer. */
  current(): Promise<Credentials> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#latest === undefined || nowMs - this.#latest.readAtMs >= REREAD_AFTER_MS) {
      this.#latest = this.#read(nowMs);
    }
    return this.#latest.credentials;
  }

  /**
   * The server answered 401 to `refused`: forgets every cached token and reads the kubeconfig anew. Does nothing when newer
   * credentials have been read since, as the first of many refused requests sees to it.
   */
  refresh(refused: Credentials): void {
    if (!isDeepStrictEqual(this.#latest?.resolved, refused)) return;
    this.#kubeConfig = this.#load();
    this.#latest = undefined;
  }

  #read(readAtMs: number): Reading {
    const limit = { clock: this.#clock, timeoutMs: READ_TIMEOUT_MS, message: NOT_READ };
    const credentials = withTimeout(limit, () => credentialsOf(this.#kubeConfig));
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

async function credentialsOf(kubeConfig: KubeConfig): Promise<Credentials> {
  const cluster = kubeConfig.getCurrentCluster();
  if (!cluster) {
    throw new Error(
      `kubeconfig: no cluster for the current context "${kubeConfig.getCurrentContext()}"; ` +
        'choose one with `kubectl config use-context`',
    );
  }
  const options: RequestOptions = {};
  await kubeConfig.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, rejectUnauthorized, auth, headers } = options;
  return {
    server: new URL(cluster.server),
    tls: pickDefined({ ca, cert, key, servername, rejectUnauthorized }) as TlsOptions, // client-node sets strings and buffers only
    headers: {
      ...(headers as Record<string, string> | undefined), // an object, never the array form
      ...(auth ? { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {}),
    },
  };
}

function pickDefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
