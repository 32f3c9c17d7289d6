/** Parses label selectors with the syntax of `kubectl get -l`. */

type LabelMatcher = (labels: Readonly<Record<string, string>>) => boolean;

/** Returns a function that matches labels, or `undefined` for an invalid selector. An empty selector matches all labels. */
export function parseSelector(text: string): LabelMatcher | undefined {
  const requirements = splitOutsideParentheses(text).map((part) => part.trim());
  if (requirements.length === 1 && requirements[0] === '') return () => true;
  const matchers = requirements.map(parseRequirement);
  if (matchers.includes(undefined)) return undefined;
  return (labels) => matchers.every((matches) => matches?.(labels));
}

const KEY_PATTERN = String.raw`([\w./-]+)`;
const VALUE_PATTERN = String.raw`([\w.-]*)`;
const EQUALS_PATTERN = new RegExp(`^${KEY_PATTERN}\\s*==?\\s*${VALUE_PATTERN}$`);
const NOT_EQUALS_PATTERN = new RegExp(`^${KEY_PATTERN}\\s*!=\\s*${VALUE_PATTERN}$`);
const IN_SET_PATTERN = new RegExp(`^${KEY_PATTERN}\\s+(in|notin)\\s+\\(([^()]*)\\)$`);
const EXISTS_PATTERN = new RegExp(`^(!?)\\s*${KEY_PATTERN}$`);

function parseRequirement(requirement: string): LabelMatcher | undefined {
  const [, equalKey, equalValue] = EQUALS_PATTERN.exec(requirement) ?? [];
  if (equalKey !== undefined) return (labels) => getLabel(labels, equalKey) === equalValue;
  const [, otherKey, otherValue] = NOT_EQUALS_PATTERN.exec(requirement) ?? [];
  if (otherKey !== undefined) return (labels) => getLabel(labels, otherKey) !== otherValue;
  const [, setKey, operator, list = ''] = IN_SET_PATTERN.exec(requirement) ?? [];
  if (setKey !== undefined) {
    const values = list.split(',').map((value) => value.trim());
    // kubectl's notin also matches objects without the label.
    return (labels) => values.includes(getLabel(labels, setKey) ?? '\n') === (operator === 'in');
  }
  const [, negation, key] = EXISTS_PATTERN.exec(requirement) ?? [];
  return key === undefined ? undefined : (labels) => Object.hasOwn(labels, key) === (negation === '');
}

function getLabel(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function splitOutsideParentheses(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/);
}
