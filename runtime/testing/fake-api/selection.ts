/** Selects the objects of a list or a watch: label selectors, and field selectors of names and namespaces. */
import { LabelSelectorError, ParsedLabelSelector } from '../../client/label-selector.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { Refusal } from './refusal.ts';

/** Whether the selection includes an object. */
export type Selection = (object: KubernetesObject) => boolean;

/** Throws a 400 for invalid selectors, and for fields other than those of every object. */
export function selectionOf(query: URLSearchParams): Selection {
  const labels = labelsOf(query.get('labelSelector') ?? '');
  const fields = (query.get('fieldSelector') ?? '').split(',').filter((term) => term !== '');
  const selections = fields.map(fieldSelection);
  return (object) => labels.matches(object.metadata.labels) && selections.every((selects) => selects(object));
}

function labelsOf(selector: string): ParsedLabelSelector {
  try {
    return new ParsedLabelSelector(selector);
  } catch (error) {
    if (error instanceof LabelSelectorError) throw new Refusal(400, error.message);
    throw error;
  }
}

function fieldSelection(term: string): Selection {
  const [, field, operator, value] = /^metadata\.(name|namespace)(==|=|!=)(.*)$/.exec(term) ?? [];
  if (field === undefined) throw new Refusal(400, `field label not supported: ${term}`);
  return ({ metadata }) => (metadata[field as 'name' | 'namespace'] === value) === (operator !== '!=');
}
