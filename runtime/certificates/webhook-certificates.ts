/**
 * Certificates of webhooks without an external issuer: the manager creates them, replicas share them through a Secret,
 * the manager renews them in time, and sets the `caBundle` of the webhook configurations so that the API server trusts
 * them (docs/adr/0013-own-certificates.md).
 */
import { Reflector } from '../cache/reflector.ts';
import type { Client } from '../client/client.ts';
import { findApiError, isAlreadyExists, isConflict } from '../client/errors.ts';
import { suggestFix } from '../client/suggest-fix.ts';
import type { Transport } from '../client/transport.ts';
import { aborted, type Clock, sleep } from '../clock/clock.ts';
import { core } from '../kubernetes/core.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey, type ObjectKey, type Resource } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import { DEFAULT_VALID_FOR_MS } from '../tls/issued-key-pair.ts';
import type { KeyPair, KeyPairSource } from '../tls/key-pair.ts';
import { type ConfigurationRef, getConfigurationResource, type WebhookEndpoint } from './ca-bundle.ts';
import { CertificateSecret, type StoredCertificates } from './certificate-secret.ts';
import { type CertificateSet, formatBundle } from './certificate-set.ts';
import { type Rotation, rotate } from './rotation.ts';
import { type ConfigurationRead, WebhookConfigurations } from './webhook-configurations.ts';

export interface WebhookCertificatesOptions {
  /** Must read from the API server, not from a cache. */
  readonly client: Pick<Client, 'get' | 'create' | 'update' | 'patch'>;
  /** Transport of the watches. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the certificates are stored. No other client should write this Secret. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The Service or hosts through which the API server calls the webhooks; the certificate covers their names. */
  readonly service: WebhookEndpoint;
  readonly configurations: readonly ConfigurationRef[];
  /** Lifetime of certificates that the manager creates. Default {@link DEFAULT_VALID_FOR_MS}. */
  readonly validForMs?: number;
}

/** Shortest time between two checks: another client that writes the same objects may undo each change at once. */
const MIN_INTERVAL_MS = 1000;
/** Longest time between two checks, in case a watch missed something. */
const MAX_INTERVAL_MS = 10 * 60_000;
/** First and longest wait after a failure. */
const MIN_BACK_OFF_MS = 1000;
const MAX_BACK_OFF_MS = 60_000;

export class WebhookCertificates implements KeyPairSource {
  readonly #options: WebhookCertificatesOptions;
  readonly #log: Logger;
  readonly #hosts: readonly string[];
  readonly #secret: CertificateSecret;
  readonly #configurations: WebhookConfigurations;
  readonly #listeners = new Set<(pair: KeyPair) => void>();
  readonly #firstSet = Promise.withResolvers<void>();
  /** The set that was last observed as stored. The server presents no other. */
  #set: CertificateSet | undefined;
  /**
   * The set that is stored and that all webhook configurations trust, and since when this replica has observed this.
   */
  #stable: { readonly id: string; readonly sinceMs: number } | undefined;
  #isTrusted = false;
  #lastFailure: string | undefined;
  #backOffMs = 0;
  /** Ends the wait for the next check. */
  #waitAbort = new AbortController();

  constructor(options: WebhookCertificatesOptions) {
    const { client, log, secret, service, configurations } = options;
    this.#options = options;
    this.#log = log.with({ secret: formatKey(secret) });
    const host = `${service.name}.${service.namespace}.svc`;
    this.#hosts = [host, `${host}.cluster.local`, ...(service.urlHosts ?? [])];
    this.#secret = new CertificateSecret(client, secret);
    this.#configurations = new WebhookConfigurations({ client, log, service, configurations });
  }

  /** Maintains the certificates until `signal` aborts. Never rejects. */
  async start(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    await Promise.all([this.#run(signal), ...this.#createWatches().map((watch) => watch.run(signal))]);
  }

  /** Resolves to true when there is a certificate, or to false when `signal` aborts first. */
  async waitForCertificate(signal: AbortSignal): Promise<boolean> {
    await Promise.race([this.#firstSet.promise, aborted(signal)]);
    return this.#set !== undefined;
  }

  /** Rejects before there is a certificate: see {@link waitForCertificate}. */
  async load(): Promise<KeyPair> {
    if (this.#set === undefined) throw new Error('there is no certificate yet');
    return this.#set.serving;
  }

  async watch(signal: AbortSignal, onChange: (pair: KeyPair) => void): Promise<void> {
    this.#listeners.add(onChange);
    // The set may have changed since it was loaded.
    if (this.#set !== undefined) onChange(this.#set.serving);
    await aborted(signal);
    this.#listeners.delete(onChange);
  }

  /** Health check: `undefined` once all webhook configurations have trusted a certificate, else what is missing. */
  readonly check = (): string | undefined => {
    if (this.#isTrusted) return undefined;
    const missing =
      this.#set === undefined ? 'there is no certificate' : 'the API server does not trust the certificate';
    return `${missing} yet${this.#lastFailure === undefined ? '' : `: ${this.#lastFailure}`}`;
  };

  #createWatches(): readonly Pick<Reflector<KubernetesObject>, 'run'>[] {
    const { secret, configurations, transport, clock, log } = this.#options;
    const wake = () => this.#wake();
    const sink = { replace: wake, upsert: wake, remove: wake, onResume: wake };
    const resources: readonly (readonly [Resource, ObjectKey])[] = [
      [core.v1.secrets, secret],
      ...configurations.map((ref) => [getConfigurationResource(ref), ref] as const),
    ];
    return resources.map(([resource, { namespace, name }]) => {
      const fieldSelector = `metadata.name=${name}`;
      return new Reflector({ resource, namespace, fieldSelector, transport, sink, clock, log });
    });
  }

  #wake(): void {
    this.#waitAbort.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      this.#waitAbort = new AbortController(); // before the check: a change during it requests another check
      const waitMs = await this.#checkOnce(signal);
      await sleep(clock, MIN_INTERVAL_MS, signal);
      await sleep(clock, waitMs - MIN_INTERVAL_MS, this.#waitAbort.signal);
    }
  }

  /**
   * Reads everything once and takes the next step. Never rejects; returns the wait before the next check, in
   * milliseconds.
   */
  async #checkOnce(signal: AbortSignal): Promise<number> {
    try {
      const waitMs = await this.#reconcile(signal);
      if (this.#lastFailure !== undefined) this.#log.info('webhook certificates recovered');
      this.#lastFailure = undefined;
      this.#backOffMs = 0;
      return Math.min(waitMs, MAX_INTERVAL_MS);
    } catch (error) {
      if (signal.aborted) return 0;
      if (isConflict(error) || isAlreadyExists(error)) {
        this.#log.debug('another replica changed the certificates, will read them again', {
          reason: String(error),
        });
        return 0;
      }
      return this.#onFailure(error);
    }
  }

  #onFailure(error: unknown): number {
    const { message } = findApiError(error) ?? (error instanceof Error ? error : new Error(String(error)));
    if (this.#lastFailure !== message) {
      this.#log.error('could not update webhook certificates, will retry', error, { fix: suggestFix(error) });
    }
    this.#lastFailure = message;
    this.#backOffMs = Math.min(MAX_BACK_OFF_MS, Math.max(MIN_BACK_OFF_MS, this.#backOffMs * 2));
    return Math.max(this.#backOffMs, findApiError(error)?.retryAfterMs ?? 0);
  }

  async #reconcile(signal: AbortSignal): Promise<number> {
    const { clock, validForMs = DEFAULT_VALID_FOR_MS } = this.#options;
    const configurations = await this.#configurations.read(signal); // first: see WebhookConfigurations.trust
    const now = clock.now();
    const found = await this.#secret.read({ hosts: this.#hosts, now }, signal);
    const stableForMs = this.#computeStableMs(found, configurations);
    const expected = { hosts: this.#hosts, validForMs, now };
    const rotation = await rotate({ found: found.set, presented: this.#set, stableForMs, ...expected });
    if (rotation.kind === 'store') await this.#store(rotation, found, signal);
    this.#publish(rotation.set);
    const isChanged = await this.#configurations.updateTrust(configurations, formatBundle(rotation.set), signal);
    this.#isTrusted = true;
    // A written change counts only after it has been read back.
    return isChanged || rotation.kind === 'store' ? 0 : rotation.nextStepMs;
  }

  async #store(
    rotation: Rotation & { readonly kind: 'store' },
    found: StoredCertificates,
    signal: AbortSignal,
  ): Promise<void> {
    const { set, step, reason } = rotation;
    await this.#secret.store(set, found, signal);
    this.#log.info('stored webhook certificates', { step, reason });
  }

  /**
   * How long this replica has observed the same set as stored and trusted, without a check in between that found
   * another state.
   */
  #computeStableMs({ set: found }: StoredCertificates, configurations: readonly ConfigurationRead[]): number {
    const set = found.kind === 'valid' ? found.set : undefined;
    if (set === undefined || !this.#configurations.allTrust(configurations, formatBundle(set))) {
      this.#stable = undefined;
      return 0;
    }
    const nowMs = this.#options.clock.monotonicMs();
    const id = `${set.serving.cert}${formatBundle(set)}`;
    if (this.#stable?.id !== id) this.#stable = { id, sinceMs: nowMs };
    return nowMs - this.#stable.sinceMs;
  }

  #publish(set: CertificateSet): void {
    const before = this.#set;
    this.#set = set;
    this.#firstSet.resolve();
    if (before?.serving.cert === set.serving.cert) return;
    this.#log.info('started using a new webhook certificate');
    for (const listener of this.#listeners) listener(set.serving);
  }
}
