/** Renders the fields of an object from the schema in the CRD. */
import type { StructuralSchema } from 'controller-runtime';
import { escapeProse, formatCode, formatTable, toAnchor, wrapParagraph } from './markdown.ts';

/** Notes in Markdown by the path of a field. The page prints the notes below the field. */
export type FieldNotes = Readonly<Record<string, readonly string[]>>;

/**
 * Returns a table of all fields of `schema`, and a section about each field. The section of an object or a list of objects lists its
 * fields. Throws if a field has no description, or if a note has no field.
 */
export function renderFieldSections(path: string, schema: StructuralSchema, notes: FieldNotes = {}): string {
  const fields = listFields(path, schema);
  const unknownPaths = Object.keys(notes).filter((path) => !fields.some((field) => field.path === path));
  if (unknownPaths.length > 0) throw new Error(`notes on unknown fields: ${unknownPaths.join(', ')}`);
  const cells = fields.map((field) => [
    `[${field.name}](${toAnchor(field.path)})`,
    formatType(field.schema),
    formatDefault(field),
    formatAllowedValues(field.schema),
  ]);
  const overview = formatTable(removeEmptyColumns([['Field', 'Type', 'Default', 'Allowed'], ...cells]));
  return [overview, ...fields.map((field) => renderSection(field, notes[field.path] ?? []))].join('\n\n');
}

/** Removes columns whose cells are empty, except the head. */
function removeEmptyColumns(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const hasCells = (column: number) => rows.slice(1).some((row) => row[column] !== '');
  return rows.map((row) => row.filter((_, column) => hasCells(column)));
}

interface ReferenceField {
  readonly name: string;
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly isRequired: boolean;
}

function listFields(path: string, { properties = {}, required = [] }: StructuralSchema): readonly ReferenceField[] {
  return Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    return { name, path: `${path}.${name}`, schema, isRequired };
  });
}

function renderSection({ path, schema }: ReferenceField, notes: readonly string[]): string {
  return [
    `### ${formatCode(path)}`,
    wrapParagraph(getDescription(path, schema)),
    ...notes.map((note) => wrapParagraph(note)),
    ...renderNestedFields(path, schema),
  ].join('\n\n');
}

function renderNestedFields(path: string, schema: StructuralSchema): readonly string[] {
  const { properties, items } = schema;
  if (items?.properties !== undefined) return ['Each element has:', renderBullets(`${path}[]`, items)];
  const isEmpty = Object.keys(properties ?? {}).length === 0;
  return isEmpty ? [] : ['It has:', renderBullets(path, schema)];
}

export function renderBullets(path: string, schema: StructuralSchema): string {
  return listFields(path, schema).map(renderBullet).join('\n');
}

function renderBullet(field: ReferenceField): string {
  const { name, path, schema } = field;
  const facts = [formatType(schema), field.isRequired ? 'required' : '', formatAllowedValues(schema)].filter(
    (fact) => fact !== '',
  );
  return wrapParagraph(`- ${formatCode(name)} (${facts.join('; ')}): ${getDescription(path, schema)}`, '  ');
}

function getDescription(path: string, { description }: StructuralSchema): string {
  if (description === undefined) throw new Error(`${path} has no description`);
  return escapeProse(description);
}

function formatType({ type, format, items, properties }: StructuralSchema): string {
  if (format === 'date-time') return 'time';
  if (items !== undefined) return `list of ${formatType(items).replace(/^\w+/, '$&s')}`;
  if (format !== undefined) return `${type}, ${format}`;
  return properties === undefined && type === 'object' ? 'object of Kubernetes' : String(type);
}

function formatDefault({ isRequired, schema }: ReferenceField): string {
  if (isRequired) return 'required';
  return schema.default === undefined ? '' : formatCode(String(schema.default));
}

function formatAllowedValues(schema: StructuralSchema): string {
  const { enum: values, minimum, maximum, pattern } = schema;
  const keys = schema['x-kubernetes-list-map-keys'];
  return [
    values?.map((value) => formatCode(String(value))).join(', '),
    formatRange({ minimum, maximum, unit: '' }),
    formatRange({ minimum: schema.minLength, maximum: schema.maxLength, unit: 'character' }),
    formatRange({ minimum: schema.minItems, maximum: schema.maxItems, unit: 'element' }),
    pattern === undefined ? undefined : `matches ${formatCode(pattern)}`,
    keys === undefined ? undefined : `one for each ${keys.map(formatCode).join(', ')}`,
  ]
    .filter((fact) => fact !== undefined)
    .join('; ');
}

interface ValueRange {
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** The singular of the unit, or an empty text for a number without a unit. */
  readonly unit: string;
}

function formatRange({ minimum, maximum, unit }: ValueRange): string | undefined {
  if (minimum === undefined && maximum === undefined) return undefined;
  const last = maximum ?? minimum;
  const units = unit === '' ? '' : ` ${unit}${last === 1 ? '' : 's'}`;
  if (minimum === undefined) return `at most ${maximum}${units}`;
  return maximum === undefined ? `at least ${minimum}${units}` : `${minimum} to ${maximum}${units}`;
}
