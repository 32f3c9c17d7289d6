/** Parses label selectors with the syntax of `kubectl get -l`. */

type LabelMatcher = (labels: Readonly<Record<string, string>>) => boolean;

/** The matcher of a selector; `undefined` for an invalid selector. An empty selector matches all labels. */
export function parseSelector(text: string): LabelMatcher | undefined {
  const parts = splitOutsideParentheses(text).map((part) => part.trim());
  if (parts.length === 1 && parts[0] === '') return () => true;
  const matchers = parts.map(parseMatcher);
  if (matchers.includes(undefined)) return undefined;
  return (labels) => matchers.every((matches) => matches?.(labels));
}

const KEY = String.raw`([\w./-]+)`;
const VALUE = String.raw`([\w.-]*)`;
const EQUALS = new RegExp(`^${KEY}\\s*==?\\s*${VALUE}$`);
const DIFFERS = new RegExp(`^${KEY}\\s*!=\\s*${VALUE}$`);
const IN_SET = new RegExp(`^${KEY}\\s+(in|notin)\\s+\\(([^()]*)\\)$`);
const EXISTS = new RegExp(`^(!?)\\s*${KEY}$`);

function parseMatcher(part: string): LabelMatcher | undefined {
  const [, equalKey, equalValue] = EQUALS.exec(part) ?? [];
  if (equalKey !== undefined) return (labels) => getLabel(labels, equalKey) === equalValue;
  const [, otherKey, otherValue] = DIFFERS.exec(part) ?? [];
  if (otherKey !== undefined) return (labels) => getLabel(labels, otherKey) !== otherValue;
  const [, setKey, operator, list = ''] = IN_SET.exec(part) ?? [];
  if (setKey !== undefined) {
    const values = list.split(',').map((value) => value.trim());
    // An object without the label is in no set: kubectl's notin also matches it.
    return (labels) => values.includes(getLabel(labels, setKey) ?? '\n') === (operator === 'in');
  }
  const [, not, key] = EXISTS.exec(part) ?? [];
  return key === undefined ? undefined : (labels) => Object.hasOwn(labels, key) === (not === '');
}

function getLabel(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function splitOutsideParentheses(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/);
}
