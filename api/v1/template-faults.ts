/**
 * Finds duplicate list elements, invalid quantities, and strings without quotes in a jobTemplate, because the errors of
 * the API server do not say how to fix such faults.
 */
import { isRecord } from './raw-object.ts';

/** A fault below `spec.jobTemplate`. */
export interface TemplateFault {
  readonly path: readonly (string | number)[];
  readonly reason: 'FieldValueDuplicate' | 'FieldValueInvalid' | 'FieldValueTypeInvalid';
  /** The invalid value. */
  readonly value: unknown;
  /** The message with the problem and the fix. */
  readonly message: string;
}

const MAX_FAULTS = 50;

/** Returns at most {@link MAX_FAULTS} faults. Ignores null fields. Never throws. */
export function findTemplateFaults(jobTemplate: unknown): readonly TemplateFault[] {
  const faults: TemplateFault[] = [];
  for (const fault of generateFaults(jobTemplate)) {
    faults.push(fault);
    if (faults.length === MAX_FAULTS) break;
  }
  return faults;
}

function* generateFaults(jobTemplate: unknown): Generator<TemplateFault> {
  for (const list of LISTS_WITHOUT_DUPLICATES)
    yield* findMatchingFields(jobTemplate, list.pathPattern).flatMap((match) => findDuplicates(match, list));
  for (const pattern of QUANTITY_PATTERNS) yield* findMatchingFields(jobTemplate, pattern).flatMap(findQuantityFaults);
  for (const pattern of STRING_PATTERNS) yield* findMatchingFields(jobTemplate, pattern).flatMap(findTextFaults);
}

const POD_SPEC_PATH = 'spec.template.spec';
const CONTAINER_PATTERNS = [`${POD_SPEC_PATH}.containers.[]`, `${POD_SPEC_PATH}.initContainers.[]`];
const CLAIM_TEMPLATE_PATTERN = `${POD_SPEC_PATH}.volumes.[].ephemeral.volumeClaimTemplate`;

interface CheckedList {
  readonly pathPattern: string;
  /** The fields whose values identify an element of the list. */
  readonly keys: readonly string[];
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** @param lastIndex The index of the last element with the same key. */
  readonly fix: (lastIndex: number) => string;
}

const formatKeepOneFix = () => 'keep one of them';

/** The lists in which batch/v1 accepts duplicates but the CRD does not. */
const LISTS_WITHOUT_DUPLICATES: readonly CheckedList[] = [
  ...CONTAINER_PATTERNS.flatMap((container): readonly CheckedList[] => [
    {
      pathPattern: `${container}.env`,
      keys: ['name'],
      fix: (lastIndex) => `batch/v1 uses the last one: keep [${lastIndex}] and remove the others`,
    },
    {
      pathPattern: `${container}.ports`,
      keys: ['containerPort', 'protocol'],
      defaults: { protocol: 'TCP' },
      fix: formatKeepOneFix,
    },
  ]),
  { pathPattern: `${POD_SPEC_PATH}.imagePullSecrets`, keys: ['name'], defaults: { name: '' }, fix: formatKeepOneFix },
  {
    pathPattern: `${POD_SPEC_PATH}.hostAliases`,
    keys: ['ip'],
    fix: () => 'keep one of them, with the hostnames of all',
  },
];

const QUANTITY_PATTERNS: readonly string[] = [
  ...[...CONTAINER_PATTERNS, POD_SPEC_PATH, `${CLAIM_TEMPLATE_PATTERN}.spec`].flatMap((owner) =>
    ['limits', 'requests'].map((kind) => `${owner}.resources.${kind}.{}`),
  ),
  `${POD_SPEC_PATH}.overhead.{}`,
  `${POD_SPEC_PATH}.volumes.[].emptyDir.sizeLimit`,
];

const STRING_PATTERNS: readonly string[] = [
  ...['metadata', 'spec.template.metadata', `${CLAIM_TEMPLATE_PATTERN}.metadata`].flatMap((metadata) =>
    ['labels', 'annotations'].map((name) => `${metadata}.${name}.{}`),
  ),
  ...CONTAINER_PATTERNS.flatMap((container) =>
    ['command.[]', 'args.[]', 'env.[].name', 'env.[].value'].map((name) => `${container}.${name}`),
  ),
  `${POD_SPEC_PATH}.nodeSelector.{}`,
  `${POD_SPEC_PATH}.tolerations.[].value`,
];

interface FieldAtPath {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** @param pattern A path of field names, with `[]` for each element of a list and `{}` for each value of a map. */
function findMatchingFields(template: unknown, pattern: string): readonly FieldAtPath[] {
  let matches: readonly FieldAtPath[] = [{ path: [], value: template }];
  for (const step of pattern.split('.')) matches = matches.flatMap((match) => [...findChildren(match, step)]);
  return matches;
}

function* findChildren({ path, value }: FieldAtPath, step: string): Generator<FieldAtPath> {
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

function findDuplicates({ path, value: elements }: FieldAtPath, list: CheckedList): readonly TemplateFault[] {
  if (!Array.isArray(elements)) return [];
  const indexesByKey = Map.groupBy(elements.keys(), (index) => getElementKey(elements[index], list));
  return [...indexesByKey].flatMap(([key, indexes]) => {
    if (key === undefined) return [];
    const message = `is at ${formatPositions(indexes)}; ${list.fix(indexes.at(-1) ?? 0)}`;
    return indexes
      .slice(1, MAX_FAULTS)
      .map((index) => ({ path: [...path, index], reason: 'FieldValueDuplicate', value: key, message }) as const);
  });
}

/** Returns the key of an element, such as `8080/TCP`, or `undefined` for an element that the schema does not allow. */
function getElementKey(element: unknown, { keys, defaults = {} }: CheckedList): string | undefined {
  if (!isRecord(element)) return undefined;
  const keyValues = keys.map((name) => element[name] ?? defaults[name]);
  return keyValues.every((keyValue) => typeof keyValue === 'string' || typeof keyValue === 'number')
    ? keyValues.join('/')
    : undefined;
}

const MAX_POSITIONS = 5;

function formatPositions(indexes: readonly number[]): string {
  const positions = indexes.slice(0, MAX_POSITIONS).map((index) => `[${index}]`);
  return [...positions, ...(indexes.length > MAX_POSITIONS ? ['…'] : [])].join(', ');
}

/** The pattern of a quantity in the schema of the API server. */
const QUANTITY = /^[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?(\d+(\.\d*)?|\.\d+))?$/;
/** The first part of the message about an invalid quantity. */
export const NOT_A_QUANTITY = 'must be a quantity, such as 500m, 128Mi or 2Gi';

function findQuantityFaults({ path, value }: FieldAtPath): readonly TemplateFault[] {
  const message = describeQuantityFault(value, path.at(-1));
  return message === undefined ? [] : [{ path, reason: 'FieldValueInvalid', value, message }];
}

/** @param resource The name of the resource, such as `cpu`. */
function describeQuantityFault(value: unknown, resource: string | number | undefined): string | undefined {
  if (typeof value === 'number' && !Number.isInteger(value)) {
    const milliUnits = Math.round(value * 1000);
    const milliSuggestion = resource === 'cpu' && milliUnits / 1000 === value ? ` or ${milliUnits}m` : '';
    return `a quantity that is not whole must be a string: write "${value}"${milliSuggestion}`;
  }
  if (typeof value !== 'string' || QUANTITY.test(value)) return undefined;
  const suggestions = suggestQuantities(value);
  return suggestions.length === 0 ? NOT_A_QUANTITY : `${NOT_A_QUANTITY}; write ${suggestions.join(' or ')}`;
}

/** Returns similar valid quantities, such as `1G` and `1Gi` for `1GB`, or `0.5` for `0,5`. */
function suggestQuantities(text: string): readonly string[] {
  const [, number = '', unit = ''] = /^\s*([\d.,]{1,20})\s*([a-z]{0,3})\s*$/i.exec(text) ?? [];
  const prefix = /^([kmgtpe])i?b?$/i.exec(unit)?.[1]?.toUpperCase();
  const units = prefix === undefined ? [unit] : [prefix === 'K' ? 'k' : prefix, `${prefix}i`];
  return (unit === 'm' ? ['m'] : units)
    .map((each) => `${number.replace(',', '.')}${each}`)
    .filter((each) => QUANTITY.test(each));
}

function findTextFaults({ path, value }: FieldAtPath): readonly TemplateFault[] {
  const message = describeTextFault(value);
  return message === undefined ? [] : [{ path, reason: 'FieldValueTypeInvalid', value, message }];
}

/** The end of the message about a string without quotes. The quoted value follows. */
export const QUOTES_FIX = 'put it in quotes: ';

/** Returns the fault of a string that YAML parses as another type, or `undefined` if quotes cannot fix the value. */
export function describeTextFault(value: unknown): string | undefined {
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? `must be of type string; ${QUOTES_FIX}${JSON.stringify(String(value))}` : undefined;
}
