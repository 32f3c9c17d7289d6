/** Selects the objects of a list or a watch with label selectors and field selectors. */
import { LabelSelectorError, ParsedLabelSelector } from '../../client/label-selector.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { StatusError } from './status-error.ts';

export type ObjectFilter = (object: KubernetesObject) => boolean;

/**
 * Throws a StatusError with 400 for an invalid selector. Field selectors support only `metadata.name` and
 * `metadata.namespace`.
 */
export function parseObjectFilter(query: URLSearchParams): ObjectFilter {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = (query.get('fieldSelector') ?? '').split(',').filter((term) => term !== '');
  const selections = fields.map(parseFieldTerm);
  return (object) => labels.matches(object.metadata.labels) && selections.every((selects) => selects(object));
}

function parseLabelSelector(selector: string): ParsedLabelSelector {
  try {
    return new ParsedLabelSelector(selector);
  } catch (error) {
    if (error instanceof LabelSelectorError) throw new StatusError(400, error.message);
    throw error;
  }
}

function parseFieldTerm(term: string): ObjectFilter {
  const [, field, operator, value] = /^metadata\.(name|namespace)(==|=|!=)(.*)$/.exec(term) ?? [];
  if (field === undefined) throw new StatusError(400, `field label not supported: ${term}`);
  return ({ metadata }) => (metadata[field as 'name' | 'namespace'] === value) === (operator !== '!=');
}
