import type { KubernetesObject } from '../kubernetes/object.ts';
import { type CacheScope, describeScope } from './cache-scope.ts';
import { Informer, type InformerOptions, type Transform } from './informer.ts';

/** What a cache holds of a kind. */
export interface KindOptions<T> extends CacheScope {
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
  #configured: KindOptions<T> = {};
  /** Requested scopes, each without the configured one. */
  #asked: readonly CacheScope[] = [];
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

  configure(options: KindOptions<T>): void {
    const { plural } = this.#options.resource;
    if (this.#isRunning)
      throw new Error(`cache: ${plural} are cached already; configure them before the manager starts`);
    const twice = Object.keys(options).find((option) => option in this.#configured);
    if (twice !== undefined) throw new Error(`cache: the ${twice} of ${plural} is configured already`);
    this.#agree({ ...this.#configured, ...options }, this.#asked);
  }

  /** Throws when the informer holds, or is configured to hold, another scope. */
  ask(scope: CacheScope): void {
    const { plural } = this.#options.resource;
    const isKnown = this.#asked.some((asked) => describeScope(asked) === describeScope(scope));
    if (isKnown) return;
    if (this.#isRunning && this.#asked.length === 0) {
      const held = describeScope(this.#configured);
      const wanted = describeScope({ ...this.#configured, ...scope });
      if (held !== wanted) throw new Error(`cache: ${plural} are cached already: ${held}, not ${wanted}`);
    }
    this.#agree(this.#configured, [...this.#asked, scope]);
  }

  run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    const { transform, ...configured } = this.#configured;
    const { namespaces } = this.#options;
    const scope = { ...(namespaces && { namespaces }), ...configured, ...this.#asked[0] };
    this.informer.hold({ scope, transform });
    return this.informer.run(signal);
  }

  /** Stores both if all scopes are equivalent. */
  #agree(configured: KindOptions<T>, asked: readonly CacheScope[]): void {
    const scopes = new Set(asked.map((scope) => describeScope({ ...configured, ...scope })));
    if (scopes.size > 1) {
      const { plural } = this.#options.resource;
      throw new Error(
        `cache: ${plural} are asked for as ${[...scopes].join(', and as ')}. There is one cache for each kind: ` +
          'ask for the same, or say it once with cache.configure',
      );
    }
    if (asked.length === 0) describeScope(configured); // throws for an invalid scope
    this.#configured = configured;
    this.#asked = asked;
  }
}
