/** The fields of an object, from the schema in the CRD. */
import type { StructuralSchema } from 'controller-runtime';
import { anchor, code, paragraph, prose, table } from './markdown.ts';

/** Notes to print below a field in addition to its schema: Markdown, by path of the field. */
export type FieldNotes = Readonly<Record<string, readonly string[]>>;

/**
 * A table of all fields of `schema`, then a section with the meaning of each. An object or a list of objects has the list of its own fields
 * there. Throws on a field without a description, and on a note without a field.
 */
export function fieldSections(path: string, schema: StructuralSchema, notes: FieldNotes = {}): string {
  const fields = fieldsOf(path, schema);
  const lost = Object.keys(notes).filter((of) => !fields.some((field) => field.path === of));
  if (lost.length > 0) throw new Error(`notes on fields that are not there: ${lost.join(', ')}`);
  const cells = fields.map((field) => [
    `[${field.name}](${anchor(field.path)})`,
    typeOf(field.schema),
    defaultOf(field),
    allowed(field.schema),
  ]);
  const overview = table(withoutEmptyColumns([['Field', 'Type', 'Default', 'Allowed'], ...cells]));
  return [overview, ...fields.map((field) => section(field, notes[field.path] ?? []))].join('\n\n');
}

/** Removes columns without content below their head. */
function withoutEmptyColumns(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const hasCells = (column: number) => rows.slice(1).some((row) => row[column] !== '');
  return rows.map((row) => row.filter((_, column) => hasCells(column)));
}

interface Field {
  readonly name: string;
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly isRequired: boolean;
}

function fieldsOf(path: string, { properties = {}, required = [] }: StructuralSchema): readonly Field[] {
  return Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    return { name, path: `${path}.${name}`, schema, isRequired };
  });
}

function section({ path, schema }: Field, notes: readonly string[]): string {
  return [
    `### ${code(path)}`,
    paragraph(meaning(path, schema)),
    ...notes.map((note) => paragraph(note)),
    ...nested(path, schema),
  ].join('\n\n');
}

function nested(path: string, schema: StructuralSchema): readonly string[] {
  const { properties, items } = schema;
  if (items?.properties !== undefined) return ['Each element has:', bullets(`${path}[]`, items)];
  return properties === undefined ? [] : ['It has:', bullets(path, schema)];
}

function bullets(path: string, schema: StructuralSchema): string {
  return fieldsOf(path, schema).map(bullet).join('\n');
}

function bullet(field: Field): string {
  const { name, path, schema } = field;
  const facts = [typeOf(schema), field.isRequired ? 'required' : '', allowed(schema)].filter((fact) => fact !== '');
  return paragraph(`- ${code(name)} (${facts.join('; ')}): ${meaning(path, schema)}`, '  ');
}

/** Throws when the field has no description. */
function meaning(path: string, { description }: StructuralSchema): string {
  if (description === undefined) throw new Error(`${path} has no description`);
  return prose(description);
}

function typeOf({ type, format, items, properties }: StructuralSchema): string {
  if (format === 'date-time') return 'time';
  if (items !== undefined) return `list of ${typeOf(items)}s`;
  if (format !== undefined) return `${type}, ${format}`;
  return properties === undefined && type === 'object' ? 'object of Kubernetes' : String(type);
}

function defaultOf({ isRequired, schema }: Field): string {
  if (isRequired) return 'required';
  return schema.default === undefined ? '' : code(String(schema.default));
}

function allowed(schema: StructuralSchema): string {
  const { enum: values, minimum, maximum, pattern } = schema;
  const keys = schema['x-kubernetes-list-map-keys'];
  return [
    values?.map((value) => code(String(value))).join(', '),
    range({ least: minimum, most: maximum, unit: '' }),
    range({ least: schema.minLength, most: schema.maxLength, unit: 'character' }),
    range({ least: schema.minItems, most: schema.maxItems, unit: 'element' }),
    pattern === undefined ? undefined : `matches ${code(pattern)}`,
    keys === undefined ? undefined : `one for each ${keys.map(code).join(', ')}`,
  ]
    .filter((fact) => fact !== undefined)
    .join('; ');
}

interface Range {
  readonly least: number | undefined;
  readonly most: number | undefined;
  /** In the singular; empty for a plain number. */
  readonly unit: string;
}

function range({ least, most, unit }: Range): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  const last = most ?? least;
  const units = unit === '' ? '' : ` ${unit}${last === 1 ? '' : 's'}`;
  if (least === undefined) return `at most ${most}${units}`;
  return most === undefined ? `at least ${least}${units}` : `${least} to ${most}${units}`;
}
