import type { KubernetesObject } from '../kubernetes/object.ts';
import { type CacheScope, describeScope } from './cache-scope.ts';
import { Informer, type InformerOptions, type Transform } from './informer.ts';

/** What a cache holds of a kind. */
export interface CachedKindConfiguration<T> extends CacheScope {
  /** Default: keeps all fields but `managedFields`. */
  readonly transform?: Transform<T>;
}

interface CachedKindOptions<T extends KubernetesObject> extends Omit<InformerOptions<T>, 'scope' | 'transform'> {
  /** The default of every kind. */
  readonly namespaces?: readonly string[] | undefined;
}

/**
 * The configuration of one kind in a cache, the scopes that callers requested, and the kind's informer. The order of
 * the calls makes no difference.
 */
export class CachedKind<T extends KubernetesObject> {
  readonly #options: CachedKindOptions<T>;
  #configuration: CachedKindConfiguration<T> = {};
  /** Requested scopes, each without the configured one. */
  #requestedScopes: readonly CacheScope[] = [];
  #informer: Informer<T> | undefined;
  #isRunning = false;

  constructor(options: CachedKindOptions<T>) {
    this.#options = options;
  }

  get hasInformer(): boolean {
    return this.#informer !== undefined;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Created at the first call. */
  get informer(): Informer<T> {
    this.#informer ??= new Informer(this.#options);
    return this.#informer;
  }

  configure(options: CachedKindConfiguration<T>): void {
    const { plural } = this.#options.resource;
    if (this.#isRunning)
      throw new Error(`cache: ${plural} are cached already; configure them before the manager starts`);
    const duplicate = Object.keys(options).find((option) => option in this.#configuration);
    if (duplicate !== undefined) throw new Error(`cache: the ${duplicate} of ${plural} is configured already`);
    this.#setIfConsistent({ ...this.#configuration, ...options }, this.#requestedScopes);
  }

  /** Throws when the informer holds, or is configured to hold, another scope. */
  requestScope(scope: CacheScope): void {
    const { plural } = this.#options.resource;
    const isRequested = this.#requestedScopes.some((requested) => describeScope(requested) === describeScope(scope));
    if (isRequested) return;
    if (this.#isRunning && this.#requestedScopes.length === 0) {
      const current = describeScope(this.#configuration);
      const requested = describeScope({ ...this.#configuration, ...scope });
      if (current !== requested) throw new Error(`cache: ${plural} are cached already: ${current}, not ${requested}`);
    }
    this.#setIfConsistent(this.#configuration, [...this.#requestedScopes, scope]);
  }

  run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    const { transform, ...configuration } = this.#configuration;
    const { namespaces } = this.#options;
    const scope = { ...(namespaces && { namespaces }), ...configuration, ...this.#requestedScopes[0] };
    this.informer.setContent({ scope, transform });
    return this.informer.run(signal);
  }

  /** Stores both if all scopes are equivalent. */
  #setIfConsistent(configuration: CachedKindConfiguration<T>, requestedScopes: readonly CacheScope[]): void {
    const scopes = new Set(requestedScopes.map((scope) => describeScope({ ...configuration, ...scope })));
    if (scopes.size > 1) {
      const { plural } = this.#options.resource;
      throw new Error(
        `cache: ${plural} are requested with different scopes: ${[...scopes].join('; and ')}. A kind has one cache: ` +
          'request the same scope everywhere, or set it once with cache.configure',
      );
    }
    if (requestedScopes.length === 0) describeScope(configuration); // throws for an invalid scope
    this.#configuration = configuration;
    this.#requestedScopes = requestedScopes;
  }
}
