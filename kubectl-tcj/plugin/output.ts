/** Formats objects for the flag --output. */
import { type KubernetesObject, oneOf } from 'controller-runtime';
import type { StoredCronJob } from '../../api/v1/stored-cronjob.ts';
import type { CommandFlag, Terminal } from './command.ts';
import { parseFlag } from './flag-value.ts';
import { formatJson, formatYaml } from './terminal/documents.ts';

export const OBJECT_FORMATS = ['json', 'yaml'] as const;
type ObjectFormat = (typeof OBJECT_FORMATS)[number];

export function createOutputFlag(values: readonly string[]): CommandFlag {
  const description = `Output format. One of: ${values.join(', ')}.`;
  return { name: 'output', short: 'o', value: 'format', description, values };
}

/** Returns the value of --output, or `text` without the flag. Throws a UsageError if `formats` does not contain the value. */
export function parseOutputFormat<T extends string>(
  flagValues: ReadonlyMap<string, string>,
  formats: readonly T[],
): T | 'text' {
  return parseFlag(flagValues, createOutputFlag(formats), oneOf(formats)) ?? 'text';
}

export const RESULT_FORMATS = [...OBJECT_FORMATS, 'name'] as const;
export type ResultFormat = 'text' | (typeof RESULT_FORMATS)[number];

/** The flag --output of commands that change or create objects. */
export const RESULT_OUTPUT_FLAG = createOutputFlag(RESULT_FORMATS);

/** Sends messages to stderr if stdout contains objects. */
export function redirectMessages(terminal: Terminal, format: ResultFormat): Terminal {
  return format === 'text' ? terminal : { ...terminal, out: terminal.err };
}

/** Formats an object as kubectl does. Returns an empty string for the format `text`. */
export function formatObject(object: KubernetesObject, format: ResultFormat): string {
  if (format === 'text') return '';
  if (format === 'name') return formatObjectName(object, object.metadata.name);
  return formatValue(omitManagedFields(object), format);
}

/** Formats a name as `kubectl get -o name` does, such as `job.batch/hello`. */
export function formatObjectName(
  { apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>,
  name: string,
): string {
  const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [];
  return `${kind.toLowerCase()}${group === undefined ? '' : `.${group}`}/${name}\n`;
}

/** Formats objects as one object of the kind List. */
export function formatObjects(objects: readonly KubernetesObject[], format: ResultFormat): string {
  if (format === 'text' || format === 'name') return objects.map((each) => formatObject(each, format)).join('');
  return formatValue({ apiVersion: 'v1', kind: 'List', metadata: {}, items: objects.map(omitManagedFields) }, format);
}

/** Omits the `managedFields`, as kubectl does. */
function omitManagedFields({
  metadata: { managedFields: _, ...metadata },
  invalidValues: __,
  ...rest
}: KubernetesObject & Pick<StoredCronJob, 'invalidValues'>): object {
  const { apiVersion, kind, ...others } = rest;
  return { apiVersion, kind, metadata, ...others };
}

export function formatValue(value: unknown, format: ObjectFormat): string {
  return format === 'json' ? formatJson(value) : formatYaml(value);
}
