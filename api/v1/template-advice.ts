/**
 * Faults in a jobTemplate that the API server refuses without a fix in its message: duplicate list elements, quantities, and texts
 * without quotes. The messages here include the fix.
 */
import { isRecord } from './raw-object.ts';

/** A fault below `spec.jobTemplate`. */
export interface TemplateFault {
  readonly path: readonly (string | number)[];
  readonly reason: 'FieldValueDuplicate' | 'FieldValueInvalid' | 'FieldValueTypeInvalid';
  /** The value that the message quotes. */
  readonly value: unknown;
  /** The problem and its fix. */
  readonly why: string;
}

/** Maximum number of faults in one response. */
const MAX_FAULTS = 50;

/** Returns the first faults. Null counts as an absent field. Never throws. */
export function findTemplateFaults(jobTemplate: unknown): readonly TemplateFault[] {
  const faults: TemplateFault[] = [];
  for (const fault of generateFaults(jobTemplate)) {
    faults.push(fault);
    if (faults.length === MAX_FAULTS) break;
  }
  return faults;
}

function* generateFaults(jobTemplate: unknown): Generator<TemplateFault> {
  for (const list of LISTS) yield* findPlaces(jobTemplate, list.list).flatMap((place) => findDuplicates(place, list));
  for (const pattern of QUANTITIES) yield* findPlaces(jobTemplate, pattern).flatMap(findQuantityFaults);
  for (const pattern of TEXTS) yield* findPlaces(jobTemplate, pattern).flatMap(findTextFaults);
}

const POD = 'spec.template.spec';
const CONTAINERS = [`${POD}.containers.[]`, `${POD}.initContainers.[]`];
const CLAIM_TEMPLATE = `${POD}.volumes.[].ephemeral.volumeClaimTemplate`;

interface List {
  readonly list: string;
  /** The fields that identify an element. */
  readonly keys: readonly string[];
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** @param last Index of the last element that has the same key. */
  readonly fix: (last: number) => string;
}

const KEEP_ONE = () => 'keep one of them';

/** Lists in which batch/v1 accepts duplicates. For other lists batch/v1 reports the same error as the API server does here. */
const LISTS: readonly List[] = [
  ...CONTAINERS.flatMap((container): readonly List[] => [
    {
      list: `${container}.env`,
      keys: ['name'],
      fix: (last) => `batch/v1 uses the last one: keep [${last}] and remove the others`,
    },
    { list: `${container}.ports`, keys: ['containerPort', 'protocol'], defaults: { protocol: 'TCP' }, fix: KEEP_ONE },
  ]),
  { list: `${POD}.imagePullSecrets`, keys: ['name'], defaults: { name: '' }, fix: KEEP_ONE },
  { list: `${POD}.hostAliases`, keys: ['ip'], fix: () => 'keep one of them, with the hostnames of all' },
];

const QUANTITIES: readonly string[] = [
  ...[...CONTAINERS, POD, `${CLAIM_TEMPLATE}.spec`].flatMap((owner) =>
    ['limits', 'requests'].map((kind) => `${owner}.resources.${kind}.{}`),
  ),
  `${POD}.overhead.{}`,
  `${POD}.volumes.[].emptyDir.sizeLimit`,
];

const TEXTS: readonly string[] = [
  ...['metadata', 'spec.template.metadata', `${CLAIM_TEMPLATE}.metadata`].flatMap((metadata) =>
    ['labels', 'annotations'].map((name) => `${metadata}.${name}.{}`),
  ),
  ...CONTAINERS.flatMap((container) =>
    ['command.[]', 'args.[]', 'env.[].name', 'env.[].value'].map((name) => `${container}.${name}`),
  ),
  `${POD}.nodeSelector.{}`,
  `${POD}.tolerations.[].value`,
];

interface Place {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** @param pattern Names of fields, `[]` for each element of a list, `{}` for each value of a map. */
function findPlaces(template: unknown, pattern: string): readonly Place[] {
  let places: readonly Place[] = [{ path: [], value: template }];
  for (const step of pattern.split('.')) places = places.flatMap((place) => [...findChildren(place, step)]);
  return places;
}

function* findChildren({ path, value }: Place, step: string): Generator<Place> {
  for (const [key, child] of listChildren(value, step)) {
    if (child !== undefined && child !== null) yield { path: [...path, key], value: child };
  }
}

function listChildren(value: unknown, step: string): Iterable<readonly [string | number, unknown]> {
  if (step === '[]') return Array.isArray(value) ? value.entries() : [];
  if (!isRecord(value)) return [];
  if (step === '{}') return Object.entries(value);
  return Object.hasOwn(value, step) ? [[step, value[step]]] : [];
}

function findDuplicates({ path, value: elements }: Place, list: List): readonly TemplateFault[] {
  if (!Array.isArray(elements)) return [];
  const indexesByKey = Map.groupBy(elements.keys(), (index) => getElementKey(elements[index], list));
  return [...indexesByKey].flatMap(([key, indexes]) => {
    if (key === undefined) return [];
    const why = `is at ${formatPositions(indexes)}; ${list.fix(indexes.at(-1) ?? 0)}`;
    return indexes
      .slice(1, MAX_FAULTS)
      .map((index) => ({ path: [...path, index], reason: 'FieldValueDuplicate', value: key, why }) as const);
  });
}

/** The key of an element, such as `8080/TCP`; `undefined` for an element that the schema refuses. */
function getElementKey(element: unknown, { keys, defaults = {} }: List): string | undefined {
  if (!isRecord(element)) return undefined;
  const parts = keys.map((name) => element[name] ?? defaults[name]);
  return parts.every((part) => typeof part === 'string' || typeof part === 'number') ? parts.join('/') : undefined;
}

const MAX_POSITIONS = 5;

function formatPositions(indexes: readonly number[]): string {
  const shown = indexes.slice(0, MAX_POSITIONS).map((index) => `[${index}]`);
  return [...shown, ...(indexes.length > MAX_POSITIONS ? ['…'] : [])].join(', ');
}

/** The pattern in the schema. */
const QUANTITY = /^[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?(\d+(\.\d*)?|\.\d+))?$/;
/** Beginning of the message about an invalid quantity. */
export const NOT_A_QUANTITY = 'must be a quantity, such as 500m, 128Mi or 2Gi';

function findQuantityFaults({ path, value }: Place): readonly TemplateFault[] {
  const why = describeQuantityFault(value, path.at(-1));
  return why === undefined ? [] : [{ path, reason: 'FieldValueInvalid', value, why }];
}

/** @param resource Name of the resource, such as `cpu`. */
function describeQuantityFault(value: unknown, resource: string | number | undefined): string | undefined {
  if (typeof value === 'number' && !Number.isInteger(value)) {
    const milli = Math.round(value * 1000);
    const inMilli = resource === 'cpu' && milli / 1000 === value ? ` or ${milli}m` : '';
    return `a quantity that is not whole must be a string: write "${value}"${inMilli}`;
  }
  if (typeof value !== 'string' || QUANTITY.test(value)) return undefined;
  const suggestions = suggestQuantities(value);
  return suggestions.length === 0 ? NOT_A_QUANTITY : `${NOT_A_QUANTITY}; write ${suggestions.join(' or ')}`;
}

/** Suggested quantities: `1G` and `1Gi` for `1GB`, `0.5` for `0,5`. Empty without a similar quantity. */
function suggestQuantities(text: string): readonly string[] {
  const [, number = '', unit = ''] = /^\s*([\d.,]{1,20})\s*([a-z]{0,3})\s*$/i.exec(text) ?? [];
  const prefix = /^([kmgtpe])i?b?$/i.exec(unit)?.[1]?.toUpperCase();
  const units = prefix === undefined ? [unit] : [prefix === 'K' ? 'k' : prefix, `${prefix}i`];
  return (unit === 'm' ? ['m'] : units)
    .map((each) => `${number.replace(',', '.')}${each}`)
    .filter((each) => QUANTITY.test(each));
}

function findTextFaults({ path, value }: Place): readonly TemplateFault[] {
  const why = describeTextFault(value);
  return why === undefined ? [] : [{ path, reason: 'FieldValueTypeInvalid', value, why }];
}

/** End of the message, before the text to write, in quotes. */
export const QUOTES_FIX = 'put it in quotes: ';

/** The fault of a text that YAML reads as another type. `undefined` when quotes cannot fix the value. */
export function describeTextFault(value: unknown): string | undefined {
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? `must be of type string; ${QUOTES_FIX}${JSON.stringify(String(value))}` : undefined;
}
