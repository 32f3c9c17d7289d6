/** Label selectors in text form and as `metav1.LabelSelector`, with the grammar of apimachinery's `pkg/labels`. */

/**
 * `matchLabels` and `matchExpressions`, which must all match: `metav1.LabelSelector`. Without either, selects
 * everything.
 */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** At least one value for `In` and `NotIn`, no value for the other operators. */
  readonly values?: readonly string[];
}

/** A text such as `app=web,tier in (front,back),!legacy`, or an object. */
export type LabelSelector = string | LabelSelectorObject;

type Labels = Readonly<Record<string, string>>;

/** A selector that is not valid. The message names the position. */
export class LabelSelectorError extends Error {
  override readonly name = 'LabelSelectorError';
}

interface Requirement {
  readonly key: string;
  readonly operator: LabelSelectorRequirement['operator'] | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

/** A parsed and validated selector. */
export class ParsedLabelSelector {
  readonly #requirements: readonly Requirement[];

  /** Throws LabelSelectorError. */
  constructor(selector: LabelSelector) {
    this.#requirements = typeof selector === 'string' ? new Parser(selector).parse() : requirementsOf(selector);
    for (const requirement of this.#requirements) check(requirement);
  }

  /** Whether the selector matches an object with these labels. */
  matches(labels: Labels = {}): boolean {
    return this.#requirements.every((requirement) => fits(requirement, labels));
  }

  /** The text for the API server's `labelSelector`. Equal for equivalent selectors, in any order. */
  toString(): string {
    return this.#requirements.map(textOf).sort().join(',');
  }
}

/** The `labelSelector` of a query; `undefined` when the selector matches everything. Throws LabelSelectorError. */
export function labelQuery(selector: LabelSelector | undefined): string | undefined {
  return selector === undefined ? undefined : String(new ParsedLabelSelector(selector)) || undefined;
}

function fits({ key, operator, values }: Requirement, labels: Labels): boolean {
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

function textOf({ key, operator, values }: Requirement): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  const { one, many } = SIGNS[operator];
  return values.length === 1 ? `${key}${one}${values[0]}` : `${key} ${many} (${values.toSorted().join(',')})`;
}

/** The signs between a label and one value, and between a label and several values. */
const SIGNS = {
  In: { one: '=', many: 'in' },
  NotIn: { one: '!=', many: 'notin' },
  Gt: { one: '>', many: '>' },
  Lt: { one: '<', many: '<' },
} as const;

function requirementsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelectorObject): Requirement[] {
  const labels = Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] }));
  return [...labels, ...matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values }))];
}

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const DNS_SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function check({ key, operator, values }: Requirement): void {
  if (!isLabelKey(key)) throw new LabelSelectorError(`label selector: "${key}" is not a valid label key`);
  for (const value of values) {
    if (value !== '' && !NAME.test(value)) {
      throw new LabelSelectorError(`label selector: "${value}" is not a valid value of the label ${key}`);
    }
  }
  if ((operator === 'Gt' || operator === 'Lt') && !isInteger(values[0])) {
    throw new LabelSelectorError(`label selector: ${key} is compared with "${values[0]}", which is not an integer`);
  }
  const takesValues = operator !== 'Exists' && operator !== 'DoesNotExist';
  if (takesValues !== values.length > 0) {
    throw new LabelSelectorError(`label selector: ${operator} of ${key} takes ${takesValues ? 'values' : 'no values'}`);
  }
}

function isLabelKey(key: string): boolean {
  const [name = '', prefix, ...more] = key.split('/').reverse();
  return NAME.test(name) && (prefix === undefined || DNS_SUBDOMAIN.test(prefix)) && more.length === 0;
}

function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text);
}

/** `requirement {"," requirement}`, where words contain any character but `= ! ( ) , < >` and space. */
class Parser {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(/==|!=|[=!(),<>]|[^=!(),<>\s]+/g) ?? [];
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    if (this.#tokens.length === 0) return requirements;
    do requirements.push(this.#requirement());
    while (this.#skip(','));
    if (this.#peek() !== undefined) throw this.#unexpected('"," or the end');
    return requirements;
  }

  #requirement(): Requirement {
    if (this.#skip('!')) return { key: this.#word(), operator: 'DoesNotExist', values: [] };
    const key = this.#word();
    const next = this.#peek();
    if (next === undefined || next === ',') return { key, operator: 'Exists', values: [] };
    const operator = OPERATORS.get(next);
    if (operator === undefined) throw this.#unexpected('an operator');
    this.#next++;
    return { key, operator, values: next === 'in' || next === 'notin' ? this.#values() : [this.#value()] };
  }

  #values(): string[] {
    if (!this.#skip('(')) throw this.#unexpected('"("');
    const values: string[] = [];
    do values.push(this.#value());
    while (this.#skip(','));
    if (!this.#skip(')')) throw this.#unexpected('"," or ")"');
    return [...new Set(values)];
  }

  /** May be empty. */
  #value(): string {
    return isWord(this.#peek()) ? this.#word() : '';
  }

  #word(): string {
    const token = this.#peek();
    if (!isWord(token)) throw this.#unexpected('a label');
    this.#next++;
    return token;
  }

  #skip(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#next++;
    return true;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next];
  }

  #unexpected(expected: string): LabelSelectorError {
    const found = this.#peek() === undefined ? 'it ends' : `"${this.#peek()}" comes`;
    return new LabelSelectorError(`label selector "${this.#text}": ${found} where ${expected} is expected`);
  }
}

const OPERATORS: ReadonlyMap<string, Requirement['operator']> = new Map([
  ['=', 'In'],
  ['==', 'In'],
  ['!=', 'NotIn'],
  ['in', 'In'],
  ['notin', 'NotIn'],
  ['>', 'Gt'],
  ['<', 'Lt'],
]);

function isWord(token: string | undefined): token is string {
  return token !== undefined && !/^[=!(),<>]/.test(token);
}
