/** Parses label selectors, with the grammar of apimachinery's `pkg/labels`. */

/**
 * A `metav1.LabelSelector`, which selects objects that match all `matchLabels` and all `matchExpressions`. An empty
 * selector selects all objects.
 */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly LabelSelectorRequirement[] | undefined;
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /**
   * The operators `In` and `NotIn` require at least one value. The operators `Exists` and `DoesNotExist` allow no
   * values.
   */
  readonly values?: readonly string[] | undefined;
}

/** A label selector as a text, such as `app=web,tier in (front,back),!legacy`, or as an object. */
export type LabelSelector = string | LabelSelectorObject;

type ObjectLabels = Readonly<Record<string, string>>;

/** A label selector is invalid. The error message contains the invalid part of the selector. */
export class LabelSelectorError extends Error {
  override readonly name = 'LabelSelectorError';
}

interface Requirement {
  readonly key: string;
  readonly operator: LabelSelectorRequirement['operator'] | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

/** A parsed and validated label selector. */
export class ParsedLabelSelector {
  readonly #requirements: readonly Requirement[];

  /** Throws a {@link LabelSelectorError} if the selector is invalid. */
  constructor(selector: LabelSelector) {
    this.#requirements =
      typeof selector === 'string' ? new LabelSelectorParser(selector).parse() : toRequirements(selector);
    for (const requirement of this.#requirements) validateRequirement(requirement);
  }

  /** Returns whether the selector matches an object with these labels. */
  matches(labels: ObjectLabels = {}): boolean {
    return this.#requirements.every((requirement) => matchesLabels(requirement, labels));
  }

  /** Returns the selector as a text with sorted requirements, for the query parameter `labelSelector`. */
  toString(): string {
    return this.#requirements.map(formatRequirement).sort().join(',');
  }
}

/**
 * Returns the query parameter `labelSelector`, or `undefined` if the selector matches all objects. Throws a
 * {@link LabelSelectorError} if the selector is invalid.
 */
export function formatLabelQuery(selector: LabelSelector | undefined): string | undefined {
  return selector === undefined ? undefined : String(new ParsedLabelSelector(selector)) || undefined;
}

function matchesLabels({ key, operator, values }: Requirement, labels: ObjectLabels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isInteger(value) && BigInt(value) > BigInt(values[0] ?? 0);
    case 'Lt':
      return isInteger(value) && BigInt(value) < BigInt(values[0] ?? 0);
  }
}

function formatRequirement({ key, operator, values }: Requirement): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  const { single, many } = OPERATOR_SYNTAX[operator];
  return values.length === 1 ? `${key}${single}${values[0]}` : `${key} ${many} (${values.toSorted().join(',')})`;
}

/** How the text of a selector expresses each operator, for a single value and for a list of values. */
const OPERATOR_SYNTAX = {
  In: { single: '=', many: 'in' },
  NotIn: { single: '!=', many: 'notin' },
  Gt: { single: '>', many: '>' },
  Lt: { single: '<', many: '<' },
} as const;

function toRequirements({ matchLabels = {}, matchExpressions = [] }: LabelSelectorObject): Requirement[] {
  const labelRequirements = Object.entries(matchLabels).map(([key, value]) => ({
    key,
    operator: 'In' as const,
    values: [value],
  }));
  return [
    ...labelRequirements,
    ...matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values })),
  ];
}

const LABEL_NAME_PATTERN = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const DNS_SUBDOMAIN_PATTERN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function validateRequirement({ key, operator, values }: Requirement): void {
  if (!isLabelKey(key)) throw new LabelSelectorError(`label selector: "${key}" is not a valid label key`);
  for (const value of values) {
    if (value !== '' && !LABEL_NAME_PATTERN.test(value)) {
      throw new LabelSelectorError(`label selector: "${value}" is not a valid value of the label ${key}`);
    }
  }
  if ((operator === 'Gt' || operator === 'Lt') && !isInteger(values[0])) {
    throw new LabelSelectorError(`label selector: ${key} must be compared with an integer, not "${values[0]}"`);
  }
  const needsValues = operator !== 'Exists' && operator !== 'DoesNotExist';
  if (needsValues !== values.length > 0) {
    throw new LabelSelectorError(
      `label selector: ${operator} of ${key} ${needsValues ? 'requires values' : 'takes no values'}`,
    );
  }
}

function isLabelKey(key: string): boolean {
  const [name = '', prefix, ...more] = key.split('/').reverse();
  return (
    LABEL_NAME_PATTERN.test(name) && (prefix === undefined || DNS_SUBDOMAIN_PATTERN.test(prefix)) && more.length === 0
  );
}

function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text);
}

/**
 * Parses a label selector: requirements that are separated by commas. A key or a value may contain all characters
 * except `= ! ( ) , < >` and spaces.
 */
class LabelSelectorParser {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(/==|!=|[=!(),<>]|[^=!(),<>\s]+/g) ?? [];
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    if (this.#tokens.length === 0) return requirements;
    do requirements.push(this.#parseRequirement());
    while (this.#acceptToken(','));
    if (this.#peek() !== undefined) throw this.#createSyntaxError('"," or the end');
    return requirements;
  }

  #parseRequirement(): Requirement {
    if (this.#acceptToken('!')) return { key: this.#parseWord(), operator: 'DoesNotExist', values: [] };
    const key = this.#parseWord();
    const next = this.#peek();
    if (next === undefined || next === ',') return { key, operator: 'Exists', values: [] };
    const operator = OPERATORS_BY_TOKEN.get(next);
    if (operator === undefined) throw this.#createSyntaxError('an operator');
    this.#position++;
    return { key, operator, values: next === 'in' || next === 'notin' ? this.#parseValues() : [this.#parseValue()] };
  }

  #parseValues(): string[] {
    if (!this.#acceptToken('(')) throw this.#createSyntaxError('"("');
    const values: string[] = [];
    do values.push(this.#parseValue());
    while (this.#acceptToken(','));
    if (!this.#acceptToken(')')) throw this.#createSyntaxError('"," or ")"');
    return [...new Set(values)];
  }

  /** Returns an empty text if the value is missing, as in `app=`. */
  #parseValue(): string {
    return isLabelToken(this.#peek()) ? this.#parseWord() : '';
  }

  #parseWord(): string {
    const token = this.#peek();
    if (!isLabelToken(token)) throw this.#createSyntaxError('a label');
    this.#position++;
    return token;
  }

  #acceptToken(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#position++;
    return true;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#position];
  }

  #createSyntaxError(expectedToken: string): LabelSelectorError {
    const actual = this.#peek() === undefined ? 'the end' : `"${this.#peek()}"`;
    return new LabelSelectorError(`label selector "${this.#text}": found ${actual}, expected ${expectedToken}`);
  }
}

const OPERATORS_BY_TOKEN: ReadonlyMap<string, Requirement['operator']> = new Map([
  ['=', 'In'],
  ['==', 'In'],
  ['!=', 'NotIn'],
  ['in', 'In'],
  ['notin', 'NotIn'],
  ['>', 'Gt'],
  ['<', 'Lt'],
]);

function isLabelToken(token: string | undefined): token is string {
  return token !== undefined && !/^[=!(),<>]/.test(token);
}
