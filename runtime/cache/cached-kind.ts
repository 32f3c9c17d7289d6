import type { KubernetesObject } from '../kubernetes/object.ts';
import { type CacheScope, describeScope } from './cache-scope.ts';
import { Informer, type InformerOptions, type Transform } from './informer.ts';

/** Selects which objects of a kind a cache stores, and transforms the objects. */
export interface CachedKindConfiguration<T> extends CacheScope {
  /** Default: the transform removes `managedFields`. */
  readonly transform?: Transform<T>;
  /**
   * Whether the kind may be unavailable. While the API server does not serve the kind, or the manager may not read it,
   * the cache is empty and counts as synced. Default false.
   */
  readonly optional?: boolean;
}

interface CachedKindOptions<T extends KubernetesObject>
  extends Omit<InformerOptions<T>, 'scope' | 'transform' | 'optional'> {
  /** Namespaces of the cache. The namespaces in the scope of the kind take precedence. */
  readonly namespaces?: readonly string[] | undefined;
}

/** The configuration of one kind in a cache, the scopes that callers requested, and the informer of the kind. */
export class CachedKind<T extends KubernetesObject> {
  readonly #options: CachedKindOptions<T>;
  #configuration: CachedKindConfiguration<T> = {};
  /** The scopes that callers requested. */
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

  get informer(): Informer<T> {
    this.#informer ??= new Informer(this.#options);
    return this.#informer;
  }

  configure(options: CachedKindConfiguration<T>): void {
    const { plural } = this.#options.resource;
    if (this.#isRunning)
      throw new Error(`cache: ${plural} are cached already; configure them before the manager starts`);
    const duplicateOption = Object.keys(options).find((option) => option in this.#configuration);
    if (duplicateOption !== undefined)
      throw new Error(`cache: the ${duplicateOption} of ${plural} is configured already`);
    this.#setIfConsistent({ ...this.#configuration, ...options }, this.#requestedScopes);
  }

  /** Throws if `scope` differs from the scope of the informer or from the configured scope. */
  requestScope(scope: CacheScope): void {
    const { plural } = this.#options.resource;
    const isAlreadyRequested = this.#requestedScopes.some(
      (requestedScope) => describeScope(requestedScope) === describeScope(scope),
    );
    if (isAlreadyRequested) return;
    if (this.#isRunning && this.#requestedScopes.length === 0) {
      const currentScope = describeScope(this.#configuration);
      const requestedScope = describeScope({ ...this.#configuration, ...scope });
      if (currentScope !== requestedScope)
        throw new Error(`cache: ${plural} are cached already: ${currentScope}, not ${requestedScope}`);
    }
    this.#setIfConsistent(this.#configuration, [...this.#requestedScopes, scope]);
  }

  run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    const { transform, optional, ...configuration } = this.#configuration;
    const { namespaces } = this.#options;
    const scope = { ...(namespaces && { namespaces }), ...configuration, ...this.#requestedScopes[0] };
    this.informer.configure({ scope, transform, optional });
    return this.informer.run(signal);
  }

  /** Stores the configuration and the requested scopes if all scopes are equivalent. Otherwise throws. */
  #setIfConsistent(configuration: CachedKindConfiguration<T>, requestedScopes: readonly CacheScope[]): void {
    const scopes = new Set(requestedScopes.map((scope) => describeScope({ ...configuration, ...scope })));
    if (scopes.size > 1) {
      const { plural } = this.#options.resource;
      throw new Error(
        `cache: ${plural} are requested with different scopes: ${[...scopes].join('; and ')}. A kind has one cache: ` +
          'request the same scope everywhere, or set it once with cache.configure',
      );
    }
    if (requestedScopes.length === 0) describeScope(configuration); // throws if the scope is invalid
    this.#configuration = configuration;
    this.#requestedScopes = requestedScopes;
  }
}
