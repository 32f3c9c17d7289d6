/** `-o`: the output formats of a command. */
import { type KubernetesObject, oneOf } from 'controller-runtime';
import type { StoredCronJob } from '../../api/v1/stored-cronjob.ts';
import type { Flag, Terminal } from './command.ts';
import { flagValue } from './flag-value.ts';
import { asJson, asYaml } from './terminal/documents.ts';

export const OBJECT_FORMATS = ['json', 'yaml'] as const;
type ObjectFormat = (typeof OBJECT_FORMATS)[number];

export function outputFlag(values: readonly string[]): Flag {
  const description = `Output format. One of: ${values.join(', ')}.`;
  return { name: 'output', short: 'o', value: 'format', description, values };
}

/** One of `formats`, or a text for users. Throws a UsageError for any other format. */
export function outputFormat<T extends string>(given: ReadonlyMap<string, string>, formats: readonly T[]): T | 'text' {
  return flagValue(given, outputFlag(formats), oneOf(formats)) ?? 'text';
}

export const CHANGED_FORMATS = [...OBJECT_FORMATS, 'name'] as const;
export type ChangedFormat = 'text' | (typeof CHANGED_FORMATS)[number];

/** The flag of commands that change or create objects. */
export const CHANGED_OUTPUT = outputFlag(CHANGED_FORMATS);

/** With a format, stdout gets only objects: messages for users go to stderr. */
export function speaking(terminal: Terminal, format: ChangedFormat): Terminal {
  return format === 'text' ? terminal : { ...terminal, out: terminal.err };
}

/** Formats an object as kubectl does. Empty without a format. */
export function changedObject(object: KubernetesObject, format: ChangedFormat): string {
  if (format === 'text') return '';
  if (format === 'name') return changedName(object, object.metadata.name);
  return formatted(shownObject(object), format);
}

/** The name of an object that does not exist yet, as `-o name` prints it, such as `job.batch/hello`. */
export function changedName({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>, name: string): string {
  const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [];
  return `${kind.toLowerCase()}${group === undefined ? '' : `.${group}`}/${name}\n`;
}

/** Formats many objects as one list. */
export function changedObjects(objects: readonly KubernetesObject[], format: ChangedFormat): string {
  if (format === 'text' || format === 'name') return objects.map((each) => changedObject(each, format)).join('');
  return formatted({ apiVersion: 'v1', kind: 'List', metadata: {}, items: objects.map(shownObject) }, format);
}

/** kubectl also omits `managedFields`. */
function shownObject({
  metadata: { managedFields: _, ...metadata },
  invalidValues: __,
  ...rest
}: KubernetesObject & Pick<StoredCronJob, 'invalidValues'>): object {
  const { apiVersion, kind, ...others } = rest;
  return { apiVersion, kind, metadata, ...others };
}

export function formatted(value: unknown, format: ObjectFormat): string {
  return format === 'json' ? asJson(value) : asYaml(value);
}
