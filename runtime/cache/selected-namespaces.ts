import { type LabelSelector, ParsedLabelSelector } from '../client/label-selector.ts';
import { core, type Namespace } from '../kubernetes/core.ts';
import { Informer, type InformerOptions } from './informer.ts';
import type { NamespaceListener, NamespaceSource } from './namespace-reflectors.ts';
import type { PartialObjectMetadata } from './partial-object.ts';

/** Selects namespaces by their labels. The selection changes when the labels change. */
export interface NamespaceSelector {
  /** Label selector of the namespaces, as a text or as an object. */
  readonly labelSelector: LabelSelector;
}

type CachedNamespace = PartialObjectMetadata<Namespace>;

/**
 * The namespaces that a label selector matches. The watch receives all namespaces, because it must distinguish a
 * deleted namespace from a namespace whose label was removed.
 */
export class SelectedNamespaces implements NamespaceSource {
  readonly informer: Informer<CachedNamespace>;
  readonly #selector: ParsedLabelSelector;
  readonly #names = new Set<string>();
  readonly #listeners = new Set<NamespaceListener>();

  constructor(
    { labelSelector }: NamespaceSelector,
    options: Pick<InformerOptions<CachedNamespace>, 'transport' | 'clock' | 'log'>,
  ) {
    this.#selector = new ParsedLabelSelector(labelSelector);
    this.informer = new Informer<CachedNamespace>({ ...options, resource: core.v1.namespaces, metadataOnly: true });
    this.informer.addEventHandler({
      onAdd: (namespace) => this.#update(namespace),
      onUpdate: (_, namespace) => this.#update(namespace),
      onDelete: ({ metadata }) => this.#remove(metadata.name, 'deleted'),
    });
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  get synced(): Promise<void> {
    return this.informer.synced;
  }

  subscribe(listener: NamespaceListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #update({ metadata: { name, labels } }: CachedNamespace): void {
    if (!this.#selector.matches(labels)) this.#remove(name, 'deselected');
    else if (!this.#names.has(name)) {
      this.#names.add(name);
      for (const { onSelect } of this.#listeners) onSelect(name);
    }
  }

  #remove(name: string, reason: 'deleted' | 'deselected'): void {
    if (!this.#names.delete(name)) return;
    for (const { onRemove } of this.#listeners) onRemove(name, reason);
  }
}
