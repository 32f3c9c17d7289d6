import type { Client } from '../client/client.ts';
import type { Logger } from '../log/logger.ts';
import {
  type CaBundleState,
  checkCaBundle,
  getConfigurationResource,
  type WebhookEndpoint,
  type WebhookObject,
  type WebhookObjectRef,
} from './ca-bundle.ts';

export interface WebhookConfigurationsOptions {
  readonly client: Pick<Client, 'get' | 'patch'>;
  readonly log: Logger;
  readonly service: WebhookEndpoint;
  /** Webhook configurations, and CRDs with a conversion webhook. */
  readonly configurations: readonly WebhookObjectRef[];
}

export type ConfigurationReadResult =
  | { readonly kind: 'found'; readonly ref: WebhookObjectRef; readonly configuration: WebhookObject }
  | { readonly kind: 'missing'; readonly ref: WebhookObjectRef }
  | { readonly kind: 'failed'; readonly ref: WebhookObjectRef; readonly error: unknown };

export class WebhookConfigurations {
  readonly #options: WebhookConfigurationsOptions;
  /** The last logged state of each configuration, so that only changes of the state are logged. */
  readonly #loggedStates = new Map<string, CaBundleState['kind'] | 'missing'>();

  constructor(options: WebhookConfigurationsOptions) {
    this.#options = options;
  }

  /**
   * Reads all configurations. Never rejects, because the certificate must be created even if a configuration cannot be
   * read.
   */
  async read(signal: AbortSignal): Promise<readonly ConfigurationReadResult[]> {
    const { client, configurations } = this.#options;
    return await Promise.all(
      configurations.map(async (ref): Promise<ConfigurationReadResult> => {
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
   * Returns whether `bundle` is the `caBundle` of every webhook of this manager. Ignores missing configurations,
   * because the API server calls no webhook without a configuration.
   */
  isTrustedByAll(results: readonly ConfigurationReadResult[], bundle: string): boolean {
    const { service } = this.#options;
    return results.every(
      (result) =>
        result.kind === 'missing' ||
        (result.kind === 'found' && checkCaBundle(result.configuration, service, bundle).kind !== 'outdated'),
    );
  }

  /**
   * Sets the `caBundle` of every webhook of this manager. Returns whether a configuration has changed. If a
   * configuration cannot be read or changed, processes all other configurations and then rejects.
   * @param results The result of {@link read}. Call `read` before you read `bundle`: if another replica changes a
   *   configuration between the two reads, the patch fails with a conflict instead of reverting the change.
   */
  async updateCaBundles(
    results: readonly ConfigurationReadResult[],
    bundle: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const updates = await Promise.allSettled(results.map((result) => this.#updateCaBundle(result, bundle, signal)));
    const failedUpdate = updates.find((update) => update.status === 'rejected');
    if (failedUpdate) throw failedUpdate.reason;
    return updates.some((update) => update.status === 'fulfilled' && update.value);
  }

  async #updateCaBundle(readResult: ConfigurationReadResult, bundle: string, signal: AbortSignal): Promise<boolean> {
    const { client, log, service } = this.#options;
    const { ref } = readResult;
    if (readResult.kind === 'failed') throw readResult.error;
    const caBundleState: CaBundleState | { readonly kind: 'missing' } =
      readResult.kind === 'missing' ? readResult : checkCaBundle(readResult.configuration, service, bundle);
    this.#logState(ref, caBundleState.kind);
    if (caBundleState.kind !== 'outdated' || readResult.kind !== 'found') return false;
    const { resourceVersion } = readResult.configuration.metadata;
    const body = { metadata: { resourceVersion }, ...caBundleState.patch };
    try {
      await client.patch(getConfigurationResource(ref), { name: ref.name }, { kind: 'merge', body }, { signal });
    } catch (cause) {
      throw new Error(`patch ${ref.kind} ${ref.name}`, { cause });
    }
    log.info('patched caBundle', { configuration: ref.name, kind: ref.kind });
    return true;
  }

  /** Logs that a configuration is missing or points to a different Service, because a wrong flag may be the cause. */
  #logState(ref: WebhookObjectRef, stateKind: CaBundleState['kind'] | 'missing'): void {
    const { log, service } = this.#options;
    const id = `${ref.kind}/${ref.name}`;
    if (this.#loggedStates.get(id) === stateKind) return;
    this.#loggedStates.set(id, stateKind);
    const logFields = { configuration: ref.name, kind: ref.kind };
    if (stateKind === 'missing') log.info('webhook configuration not found, waiting for it', logFields);
    if (stateKind === 'unrelated')
      log.info('webhook configuration calls another Service', { ...logFields, service: service.name });
  }
}
