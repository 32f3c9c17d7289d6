import { aborted } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Reflector } from './reflector.ts';

/** Receives the changes of a {@link NamespaceSource}. */
export interface NamespaceListener {
  readonly onSelect: (namespace: string) => void;
  readonly onRemove: (namespace: string, reason: 'deleted' | 'deselected') => void;
}

/** A set of namespaces that may change. */
export interface NamespaceSource {
  readonly names: ReadonlySet<string>;
  /** Resolves when {@link names} is complete. */
  readonly synced: Promise<void>;
  /** Returns a function that ends the subscription. */
  subscribe(listener: NamespaceListener): () => void;
}

/** Creates the reflector of a namespace, or of all namespaces. The signal aborts when the reflector must stop. */
type CreateReflector<T extends KubernetesObject> = (
  namespace: string | undefined,
  stopSignal: AbortSignal,
) => Reflector<T>;

interface NamespaceReflectorsListener extends Pick<NamespaceListener, 'onRemove'> {
  /** Called once with the initial namespaces. */
  readonly onFollow: (namespaces: ReadonlySet<string>) => void;
}

/** The running reflectors of an informer by namespace. The namespace `undefined` means all namespaces. */
export class NamespaceReflectors<T extends KubernetesObject> {
  readonly #create: CreateReflector<T>;
  readonly #entries = new Map<string | undefined, { readonly reflector: Reflector<T>; readonly stop: () => void }>();
  readonly #runs = new Set<Promise<void>>();

  constructor(create: CreateReflector<T>) {
    this.#create = create;
  }

  /** Returns the reflector that receives the objects of a namespace. */
  find(namespace: string | undefined): Reflector<T> | undefined {
    return (this.#entries.get(undefined) ?? this.#entries.get(namespace))?.reflector;
  }

  /** The longest time since a watch received data, in milliseconds. */
  get silenceMs(): number {
    return Math.max(0, ...[...this.#entries.values()].map(({ reflector }) => reflector.silenceMs));
  }

  /** Starts a reflector, which runs until its namespace is removed or `signal` aborts. */
  start(namespace: string | undefined, signal: AbortSignal): void {
    const controller = new AbortController();
    const stop = () => controller.abort();
    // AbortSignal.any would keep its listeners as long as `signal` exists.
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    const reflector = this.#create(namespace, controller.signal);
    this.#entries.set(namespace, { reflector, stop });
    const run = reflector.run(controller.signal).finally(() => {
      signal.removeEventListener('abort', stop);
      this.#runs.delete(run);
    });
    this.#runs.add(run);
  }

  /** Starts and stops the reflectors of changing namespaces until `signal` aborts. */
  async follow(
    source: NamespaceSource,
    signal: AbortSignal,
    { onFollow, onRemove }: NamespaceReflectorsListener,
  ): Promise<void> {
    await Promise.race([source.synced, aborted(signal)]);
    if (signal.aborted) return;
    const unsubscribe = source.subscribe({
      onSelect: (namespace) => this.start(namespace, signal),
      onRemove: (namespace, reason) => {
        this.#entries.get(namespace)?.stop();
        this.#entries.delete(namespace);
        onRemove(namespace, reason);
      },
    });
    onFollow(source.names);
    for (const namespace of source.names) this.start(namespace, signal);
    await aborted(signal);
    unsubscribe();
  }

  /** Resolves when all reflectors have ended. */
  async ended(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }
}
