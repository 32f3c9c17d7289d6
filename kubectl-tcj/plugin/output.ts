/** `-o`: the formats of a command, and what it prints in each. */
import { type KubernetesObject, oneOf } from 'controller-runtime';
import type { StoredCronJob } from '../../api/v1/stored-cronjob.ts';
import type { Flag, Terminal } from './command.ts';
import { flagValue } from './flag-value.ts';
import { asJson, asYaml } from './terminal/documents.ts';

const OBJECT_FORMATS = ['json', 'yaml'] as const;
type MoreFormat = 'wide' | 'name';
export type OutputFormat = 'text' | MoreFormat | (typeof OBJECT_FORMATS)[number];

/** @param formats Beside `json` and `yaml`. */
export function outputFlag(formats: readonly MoreFormat[] = []): Flag {
  const values = [...formats, ...OBJECT_FORMATS];
  const description = `One of ${values.join(', ')}. Default a text for people.`;
  return { name: 'output', short: 'o', value: 'format', description, default: '', values };
}

/** Throws a UsageError for a format that the command does not have. */
export function outputFormat(given: ReadonlyMap<string, string>, formats: readonly MoreFormat[] = []): OutputFormat {
  return outputFormatOf(given, [...formats, ...OBJECT_FORMATS]);
}

/** The same, for a command whose formats are `formats`, and a text for people. */
export function outputFormatOf<T extends string>(
  given: ReadonlyMap<string, string>,
  formats: readonly T[],
): T | 'text' {
  const text = given.get('output');
  if (text === undefined) return 'text';
  return flagValue('output', text, oneOf(formats));
}

const CHANGED_FORMATS = [...OBJECT_FORMATS, 'name'] as const;
export type ChangedFormat = 'text' | (typeof CHANGED_FORMATS)[number];

/** Of commands that change or make objects. */
export const CHANGED_OUTPUT: Flag = {
  name: 'output',
  short: 'o',
  value: 'format',
  description: `Prints the object: ${CHANGED_FORMATS.join(', ')}.`,
  default: '',
  values: CHANGED_FORMATS,
};

/** Throws a UsageError for a format that there is not. */
export function changedFormat(given: ReadonlyMap<string, string>): ChangedFormat {
  return outputFormatOf(given, CHANGED_FORMATS);
}

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

/** The name of an object that is yet to come, as `-o name` prints it. */
export function changedName({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>, name: string): string {
  return `${typeNameOf({ apiVersion, kind })}/${name}\n`;
}

/** The same for many, in one list. */
export function changedObjects(objects: readonly KubernetesObject[], format: ChangedFormat): string {
  if (format === 'text' || format === 'name') return objects.map((each) => changedObject(each, format)).join('');
  return formatted({ apiVersion: 'v1', kind: 'List', metadata: {}, items: objects.map(shownObject) }, format);
}

/** Such as `job.batch`. */
function typeNameOf({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>): string {
  const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [];
  return [kind.toLowerCase(), ...(group === undefined ? [] : [group])].join('.');
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

export function formatted(value: unknown, format: (typeof OBJECT_FORMATS)[number]): string {
  return format === 'json' ? asJson(value) : asYaml(value);
}
