/**
 * Reads, compares and updates the webhook configurations, which define the CAs that the API server trusts when it calls webhooks.
 */
import type { Client } from '../client/client.ts';
import type { Logger } from '../log/logger.ts';
import {
  type CaBundleState,
  type ConfigurationRef,
  checkCaBundle,
  getConfigurationResource,
  type WebhookConfiguration,
  type WebhookEndpoint,
} from './ca-bundle.ts';

export interface WebhookConfigurationsOptions {
  /** Must read from the API server, not from a cache. */
  readonly client: Pick<Client, 'get' | 'patch'>;
  readonly log: Logger;
  /** Where the manager serves the webhooks. */
  readonly service: WebhookEndpoint;
  readonly configurations: readonly ConfigurationRef[];
}

/** One configuration, or why it could not be read. */
export type ConfigurationRead =
  | { readonly kind: 'found'; readonly ref: ConfigurationRef; readonly configuration: WebhookConfiguration }
  | { readonly kind: 'missing'; readonly ref: ConfigurationRef }
  | { readonly kind: 'failed'; readonly ref: ConfigurationRef; readonly error: unknown };

export class WebhookConfigurations {
  readonly #options: WebhookConfigurationsOptions;
  /** The last logged state of each configuration, so that each state is logged once. */
  readonly #loggedStates = new Map<string, CaBundleState['kind'] | 'missing'>();

  constructor(options: WebhookConfigurationsOptions) {
    this.#options = options;
  }

  /**
   * Reads all configurations. Never rejects: an unreadable configuration must not prevent the creation of the
   * certificate.
   */
  async read(signal: AbortSignal): Promise<readonly ConfigurationRead[]> {
    const { client, configurations } = this.#options;
    return await Promise.all(
      configurations.map(async (ref): Promise<ConfigurationRead> => {
        try {
          const configuration = await client.get(getConfigurationResource(ref), { name: ref.name }, { signal });
          return configuration ? { kind: 'found', ref, configuration } : { kind: 'missing', ref };
        } catch (cause) {
          return { kind: 'failed', ref, error: new Error(`get ${ref.kind} ${ref.name}`, { cause }) };
        }
      }),
    );
  }

  /**
   * Returns whether every webhook of this manager trusts `bundle` and nothing else. A missing configuration calls no
   * webhook, so it agrees.
   */
  allTrust(read: readonly ConfigurationRead[], bundle: string): boolean {
    const { service } = this.#options;
    return read.every(
      (one) =>
        one.kind === 'missing' ||
        (one.kind === 'found' && checkCaBundle(one.configuration, service, bundle).kind !== 'outdated'),
    );
  }

  /**
   * Makes every webhook of this manager trust `bundle`. Pass a `read` that happened before the bundle was read: then a
   * configuration that another replica has updated meanwhile causes a conflict, and is never reverted. Returns whether
   * anything changed. Rejects when a configuration cannot be read or changed, after it has processed all others.
   */
  async updateTrust(read: readonly ConfigurationRead[], bundle: string, signal: AbortSignal): Promise<boolean> {
    const changes = await Promise.allSettled(read.map((one) => this.#updateTrust(one, bundle, signal)));
    const failed = changes.find((change) => change.status === 'rejected');
    if (failed) throw failed.reason;
    return changes.some((change) => change.status === 'fulfilled' && change.value);
  }

  async #updateTrust(one: ConfigurationRead, bundle: string, signal: AbortSignal): Promise<boolean> {
    const { client, log, service } = this.#options;
    const { ref } = one;
    if (one.kind === 'failed') throw one.error;
    const trust: CaBundleState | { readonly kind: 'missing' } =
      one.kind === 'missing' ? one : checkCaBundle(one.configuration, service, bundle);
    this.#logState(ref, trust.kind);
    if (trust.kind !== 'outdated' || one.kind !== 'found') return false;
    const { resourceVersion } = one.configuration.metadata;
    const body = { metadata: { resourceVersion }, webhooks: trust.webhooks };
    try {
      await client.patch(getConfigurationResource(ref), { name: ref.name }, { kind: 'merge', body }, { signal });
    } catch (cause) {
      throw new Error(`patch ${ref.kind} ${ref.name}`, { cause });
    }
    log.info('patched caBundle', { configuration: ref.name, kind: ref.kind });
    return true;
  }

  /** Without this log, a wrong name in a flag shows only as failed calls. */
  #logState(ref: ConfigurationRef, kind: CaBundleState['kind'] | 'missing'): void {
    const { log, service } = this.#options;
    const id = `${ref.kind}/${ref.name}`;
    if (this.#loggedStates.get(id) === kind) return;
    this.#loggedStates.set(id, kind);
    const fields = { configuration: ref.name, kind: ref.kind };
    if (kind === 'missing') log.info('webhook configuration not found, waiting for it', fields);
    if (kind === 'unrelated')
      log.info('webhook configuration calls another Service', { ...fields, service: service.name });
  }
}
