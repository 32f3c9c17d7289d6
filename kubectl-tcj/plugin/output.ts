/** `-o`: the formats of a command, and what it prints in each. */
import { type KubernetesObject, oneOf } from 'controller-runtime';
import type { StoredCronJob } from '../../api/v1/stored-cronjob.ts';
import type { Flag, Terminal } from './command.ts';
import { flagValue } from './flag-value.ts';
import { asJson, asYaml } from './terminal/documents.ts';

export const OBJECT_FORMATS = ['json', 'yaml'] as const;
type ObjectFormat = (typeof OBJECT_FORMATS)[number];

export function outputFlag(
  values: readonly string[],
  description = `One of ${values.join(', ')}. Default a text for people.`,
): Flag {
  return { name: 'output', short: 'o', value: 'format', description, values };
}

/** One of `formats`, or a text for people. Throws a UsageError for any other. */
export function outputFormat<T extends string>(given: ReadonlyMap<string, string>, formats: readonly T[]): T | 'text' {
  return flagValue(given, outputFlag(formats), oneOf(formats)) ?? 'text';
}

export const CHANGED_FORMATS = [...OBJECT_FORMATS, 'name'] as const;
export type ChangedFormat = 'text' | (typeof CHANGED_FORMATS)[number];

/** Of commands that change or make objects. */
export const CHANGED_OUTPUT = outputFlag(CHANGED_FORMATS, `Prints the object: ${CHANGED_FORMATS.join(', ')}.`);

/** With a format, objects are all that goes to stdout: what is said to people goes to stderr. */
export function speaking(terminal: Terminal, format: ChangedFormat): Terminal {
  return format === 'text' ? terminal : { ...terminal, out: terminal.err };
}

/** As kubectl prints an object. Empty for the format of people. */
export function changedObject(object: KubernetesObject, format: ChangedFormat): string {
  if (format === 'text') return '';
  if (format === 'name') return changedName(object, object.metadata.name);
  return formatted(shownObject(object), format);
}

/** The name of an object that is yet to come, as `-o name` prints it, such as `job.batch/hello`. */
export function changedName({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>, name: string): string {
  const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [];
  return `${kind.toLowerCase()}${group === undefined ? '' : `.${group}`}/${name}\n`;
}

/** The same for many, in one list. */
export function changedObjects(objects: readonly KubernetesObject[], format: ChangedFormat): string {
  if (format === 'text' || format === 'name') return objects.map((each) => changedObject(each, format)).join('');
  return formatted({ apiVersion: 'v1', kind: 'List', metadata: {}, items: objects.map(shownObject) }, format);
}

/** kubectl leaves out who owns which field, too. */
function shownObject({
  metadata: { managedFields: _, ...metadata },
  oddities: __,
  ...rest
}: KubernetesObject & Pick<StoredCronJob, 'oddities'>): object {
  const { apiVersion, kind, ...others } = rest;
  return { apiVersion, kind, metadata, ...others };
}

export function formatted(value: unknown, format: ObjectFormat): string {
  return format === 'json' ? asJson(value) : asYaml(value);
}
