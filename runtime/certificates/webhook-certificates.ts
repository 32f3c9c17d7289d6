/**
 * Creates and renews the certificates of webhooks. No external issuer such as cert-manager is necessary. Replicas share
 * the certificates through a Secret. The manager sets the `caBundle` of the webhook configurations to the CA
 * certificates (docs/adr/0013-own-certificates.md).
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
import { DEFAULT_CERTIFICATE_LIFETIME_MS } from '../tls/issued-key-pair.ts';
import type { KeyPair, KeyPairSource } from '../tls/key-pair.ts';
import { getConfigurationResource, type WebhookEndpoint, type WebhookObjectRef } from './ca-bundle.ts';
import { CertificateSecret, type StoredCertificates } from './certificate-secret.ts';
import { type CertificateSet, formatBundle } from './certificate-set.ts';
import { planRotation, type RotationPlan } from './rotation.ts';
import { type ConfigurationReadResult, WebhookConfigurations } from './webhook-configurations.ts';

export interface WebhookCertificatesOptions {
  /** A client that reads from the API server, not from a cache. */
  readonly client: Pick<Client, 'get' | 'create' | 'update' | 'patch'>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  /** The Secret that stores the certificates. No client except the manager should write the Secret. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The Service and hosts of the webhooks. The certificate covers the names of the Service and the hosts. */
  readonly service: WebhookEndpoint;
  /** Webhook configurations, and CRDs with a conversion webhook. */
  readonly configurations: readonly WebhookObjectRef[];
  /** Lifetime of new certificates, in milliseconds. Default {@link DEFAULT_CERTIFICATE_LIFETIME_MS}. */
  readonly validForMs?: number;
}

/**
 * Minimum interval between two checks. The interval limits the load if another client reverts each change of the
 * manager.
 */
const MIN_CHECK_INTERVAL_MS = 1000;
/** Maximum interval between two checks. A periodic check finds changes that a watch has missed. */
const MAX_CHECK_INTERVAL_MS = 10 * 60_000;
const MIN_BACK_OFF_MS = 1000;
const MAX_BACK_OFF_MS = 60_000;
/** Replicas that start together cause one or two conflicts in a row. More conflicts are an error. */
export const MAX_CONFLICTS_IN_A_ROW = 5;
const CONFLICT_FIX =
  'check that only this manager writes the object: another operator may use the same name of the Secret, or another ' +
  'client may set the caBundle, for example because of the annotation cert-manager.io/inject-ca-from';

export class WebhookCertificates implements KeyPairSource {
  readonly #options: WebhookCertificatesOptions;
  readonly #log: Logger;
  readonly #hosts: readonly string[];
  readonly #secret: CertificateSecret;
  readonly #configurations: WebhookConfigurations;
  readonly #listeners = new Set<(keyPair: KeyPair) => void>();
  readonly #certificatesReady = Promise.withResolvers<void>();
  /** The certificates that the Secret contained at the last check. The server uses only stored certificates. */
  #certificates: CertificateSet | undefined;
  /**
   * The certificates whose authorities are in all webhook configurations, and the time at which this replica first
   * observed the authorities there.
   */
  #trustedCertificates: { readonly id: string; readonly sinceMs: number } | undefined;
  #isTrusted = false;
  #lastFailureMessage: string | undefined;
  #backOffMs = 0;
  #conflictsInARow = 0;
  #waitAbortController = new AbortController();

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

  /** Resolves to true when a certificate exists, or to false when `signal` aborts first. */
  async waitForCertificate(signal: AbortSignal): Promise<boolean> {
    await Promise.race([this.#certificatesReady.promise, aborted(signal)]);
    return this.#certificates !== undefined;
  }

  /** Rejects if there is no certificate yet. Call {@link waitForCertificate} first. */
  async load(): Promise<KeyPair> {
    if (this.#certificates === undefined) throw new Error('there is no certificate yet');
    return this.#certificates.serving;
  }

  async watch(signal: AbortSignal, onChange: (keyPair: KeyPair) => void): Promise<void> {
    this.#listeners.add(onChange);
    // The certificate may have changed since the call of `load`.
    if (this.#certificates !== undefined) onChange(this.#certificates.serving);
    await aborted(signal);
    this.#listeners.delete(onChange);
  }

  /** A health check that fails until all webhook configurations trust a certificate of this manager. */
  readonly check = (): string | undefined => {
    if (this.#isTrusted) return undefined;
    const problem =
      this.#certificates === undefined ? 'there is no certificate' : 'the API server does not trust the certificate';
    return `${problem} yet${this.#lastFailureMessage === undefined ? '' : `: ${this.#lastFailureMessage}`}`;
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
    this.#waitAbortController.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      this.#waitAbortController = new AbortController(); // a change during the check causes another check
      const waitMs = await this.#checkOnce(signal);
      await sleep(clock, MIN_CHECK_INTERVAL_MS, signal);
      await sleep(clock, waitMs - MIN_CHECK_INTERVAL_MS, this.#waitAbortController.signal);
    }
  }

  /** Returns the wait before the next check, in milliseconds. Never rejects. */
  async #checkOnce(signal: AbortSignal): Promise<number> {
    try {
      const waitMs = await this.#reconcile(signal);
      if (this.#lastFailureMessage !== undefined) this.#log.info('webhook certificates recovered');
      this.#lastFailureMessage = undefined;
      this.#backOffMs = 0;
      this.#conflictsInARow = 0;
      return Math.min(waitMs, MAX_CHECK_INTERVAL_MS);
    } catch (error) {
      if (signal.aborted) return 0;
      return isConflict(error) || isAlreadyExists(error) ? this.#recordConflict(error) : this.#recordFailure(error);
    }
  }

  /** Another replica usually causes the conflict. The next check then finds the certificates of that replica. */
  #recordConflict(error: unknown): number {
    this.#conflictsInARow++;
    if (this.#conflictsInARow > MAX_CONFLICTS_IN_A_ROW) return this.#recordFailure(error, CONFLICT_FIX);
    this.#log.debug('another client changed the same object, will read it again', { reason: String(error) });
    return 0;
  }

  #recordFailure(error: unknown, fix = suggestFix(error)): number {
    const { message } = findApiError(error) ?? (error instanceof Error ? error : new Error(String(error)));
    if (this.#lastFailureMessage !== message) {
      this.#log.error('could not update webhook certificates, will retry', error, { fix });
    }
    this.#lastFailureMessage = message;
    this.#backOffMs = Math.min(MAX_BACK_OFF_MS, Math.max(MIN_BACK_OFF_MS, this.#backOffMs * 2));
    return Math.max(this.#backOffMs, findApiError(error)?.retryAfterMs ?? 0);
  }

  async #reconcile(signal: AbortSignal): Promise<number> {
    const { clock, validForMs = DEFAULT_CERTIFICATE_LIFETIME_MS } = this.#options;
    const configurations = await this.#configurations.read(signal); // before the Secret: see updateCaBundles
    const now = clock.now();
    const stored = await this.#secret.read({ hosts: this.#hosts, now }, signal);
    const trustedForMs = this.#computeTrustedForMs(stored, configurations);
    const rotationParameters = { hosts: this.#hosts, validForMs, now };
    const rotation = await planRotation({
      stored: stored.certificates,
      current: this.#certificates,
      trustedForMs: trustedForMs,
      ...rotationParameters,
    });
    if (rotation.kind === 'store') await this.#store(rotation, stored, signal);
    this.#publish(rotation.certificates);
    const hasChanged = await this.#configurations.updateCaBundles(
      configurations,
      formatBundle(rotation.certificates),
      signal,
    );
    this.#isTrusted = true;
    // After a write, the next check reads the objects again at once.
    return hasChanged || rotation.kind === 'store' ? 0 : rotation.checkAfterMs;
  }

  async #store(
    rotation: RotationPlan & { readonly kind: 'store' },
    storedCertificates: StoredCertificates,
    signal: AbortSignal,
  ): Promise<void> {
    const { certificates, step, reason } = rotation;
    await this.#secret.store(certificates, storedCertificates, signal);
    this.#log.info('stored webhook certificates', { step, reason });
  }

  /** Returns how long all webhook configurations have trusted the stored certificates, in milliseconds. */
  #computeTrustedForMs(
    { certificates: stored }: StoredCertificates,
    configurations: readonly ConfigurationReadResult[],
  ): number {
    const certificates = stored.kind === 'valid' ? stored.certificates : undefined;
    if (
      certificates === undefined ||
      !this.#configurations.isTrustedByAll(configurations, formatBundle(certificates))
    ) {
      this.#trustedCertificates = undefined;
      return 0;
    }
    const nowMs = this.#options.clock.monotonicMs();
    const id = `${certificates.serving.cert}${formatBundle(certificates)}`;
    if (this.#trustedCertificates?.id !== id) this.#trustedCertificates = { id, sinceMs: nowMs };
    return nowMs - this.#trustedCertificates.sinceMs;
  }

  #publish(certificates: CertificateSet): void {
    const previous = this.#certificates;
    this.#certificates = certificates;
    this.#certificatesReady.resolve();
    if (previous?.serving.cert === certificates.serving.cert) return;
    this.#log.info('started using a new webhook certificate');
    for (const listener of this.#listeners) listener(certificates.serving);
  }
}
