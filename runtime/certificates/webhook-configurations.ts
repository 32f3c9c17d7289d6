/** The webhook configurations, which say whom the API server trusts when it calls: read, compared and fixed. */
import type { Client } from '../client/client.ts';
import type { Logger } from '../log/logger.ts';
import {
  type ConfigurationRef,
  resourceOf,
  type ServedBehind,
  type Trust,
  trustOf,
  type WebhookConfiguration,
} from './ca-bundle.ts';

export interface WebhookConfigurationsOptions {
  /** Must read from the API server, not from a cache. */
  readonly client: Pick<Client, 'get' | 'patch'>;
  readonly log: Logger;
  /** What the webhooks are served behind. */
  readonly service: ServedBehind;
  readonly configurations: readonly ConfigurationRef[];
}

/** One configuration as it was read, or why it could not be. */
export type ReadConfiguration =
  | { readonly kind: 'found'; readonly ref: ConfigurationRef; readonly configuration: WebhookConfiguration }
  | { readonly kind: 'missing'; readonly ref: ConfigurationRef }
  | { readonly kind: 'failed'; readonly ref: ConfigurationRef; readonly error: unknown };

export class WebhookConfigurations {
  readonly #options: WebhookConfigurationsOptions;
  /** What was last said of each configuration, so that it is said once. */
  readonly #said = new Map<string, Trust['kind'] | 'missing'>();

  constructor(options: WebhookConfigurationsOptions) {
    this.#options = options;
  }

  /** Reads all. Never rejects: one that cannot be read must not keep the certificate from being made. */
  async read(signal: AbortSignal): Promise<readonly ReadConfiguration[]> {
    const { client, configurations } = this.#options;
    return await Promise.all(
      configurations.map(async (ref): Promise<ReadConfiguration> => {
        try {
          const configuration = await client.get(resourceOf(ref), { name: ref.name }, { signal });
          return configuration ? { kind: 'found', ref, configuration } : { kind: 'missing', ref };
        } catch (cause) {
          return { kind: 'failed', ref, error: new Error(`get ${ref.kind} ${ref.name}`, { cause }) };
        }
      }),
    );
  }

  /** Whether every webhook of ours trusts `bundle` and nothing else. One that is missing calls nobody. */
  agree(read: readonly ReadConfiguration[], bundle: string): boolean {
    const { service } = this.#options;
    return read.every(
      (one) =>
        one.kind === 'missing' ||
        (one.kind === 'found' && trustOf(one.configuration, service, bundle).kind !== 'wrong'),
    );
  }

  /**
   * Makes every webhook of ours trust `bundle`. `read` must have been read before the bundle was: then a configuration
   * that another replica has brought further meanwhile answers with a conflict, and is never put back. Returns whether
   * there was something to change; rejects when one cannot be read or changed, after all others have been.
   */
  async trust(read: readonly ReadConfiguration[], bundle: string, signal: AbortSignal): Promise<boolean> {
    const changes = await Promise.allSettled(read.map((one) => this.#trust(one, bundle, signal)));
    const failed = changes.find((change) => change.status === 'rejected');
    if (failed) throw failed.reason;
    return changes.some((change) => change.status === 'fulfilled' && change.value);
  }

  async #trust(one: ReadConfiguration, bundle: string, signal: AbortSignal): Promise<boolean> {
    const { client, log, service } = this.#options;
    const { ref } = one;
    if (one.kind === 'failed') throw one.error;
    const trust: Trust | { readonly kind: 'missing' } =
      one.kind === 'missing' ? one : trustOf(one.configuration, service, bundle);
    this.#say(ref, trust.kind);
    if (trust.kind !== 'wrong' || one.kind !== 'found') return false;
    const { resourceVersion } = one.configuration.metadata;
    const body = { metadata: { resourceVersion }, webhooks: trust.webhooks };
    try {
      await client.patch(resourceOf(ref), { name: ref.name }, { kind: 'merge', body }, { signal });
    } catch (cause) {
      throw new Error(`patch ${ref.kind} ${ref.name}`, { cause });
    }
    log.info('patched caBundle', { configuration: ref.name, kind: ref.kind });
    return true;
  }

  /** A name that is wrong in a flag shows as calls that fail, and nowhere else. */
  #say(ref: ConfigurationRef, kind: Trust['kind'] | 'missing'): void {
    const { log, service } = this.#options;
    const id = `${ref.kind}/${ref.name}`;
    if (this.#said.get(id) === kind) return;
    this.#said.set(id, kind);
    const fields = { configuration: ref.name, kind: ref.kind };
    if (kind === 'missing') log.info('webhook configuration not found, waiting for it', fields);
    if (kind === 'foreign')
      log.info('webhook configuration calls another Service', { ...fields, service: service.name });
  }
}
