/** Converts the schemas of CRDs to JSON Schema, for kubeconform and for editors. */
import type { StructuralSchema } from 'controller-runtime';
import type { CustomResourceDefinition } from 'controller-runtime/manifests';

interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * Returns the text of a JSON Schema for each version of the kind, by file name. kubeconform finds the files with the template
 * `{{.ResourceKind}}_{{.ResourceAPIVersion}}.json`, whose values are in lower case. Unknown fields are errors, as with `kubectl
 * --validate=strict`.
 */
export function createJsonSchemas({ spec }: CustomResourceDefinition): Readonly<Record<string, string>> {
  const { group, names, versions } = spec;
  return Object.fromEntries(
    versions.map(({ name, schema }) => {
      const { properties = {}, required = [], ...root } = schema.openAPIV3Schema;
      const kind = toJsonSchema({
        ...root,
        properties: {
          ...properties,
          apiVersion: { type: 'string', enum: [`${group}/${name}`] },
          kind: { type: 'string', enum: [names.kind] },
          // The schema in the CRD has only the fields that it limits.
          metadata: { ...properties['metadata'], type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
        required: ['apiVersion', 'kind', 'metadata', ...required.filter((field) => field !== 'metadata')],
      });
      const text = JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...kind }, null, 2);
      return [`${names.kind.toLowerCase()}_${name}.json`, `${text}\n`];
    }),
  );
}

function toJsonSchema(schema: StructuralSchema): JsonSchema {
  const { properties, items, additionalProperties, nullable, type, enum: values, ...rest } = schema;
  const isClosed = properties !== undefined && schema['x-kubernetes-preserve-unknown-fields'] !== true;
  const unknownFields = isClosed ? false : undefined;
  const keywords = {
    ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !keyword.startsWith('x-kubernetes-'))),
    type: convertType(schema),
    enum: nullable === true && values !== undefined ? [...values, null] : values,
    properties: properties && convertProperties(properties),
    items: items && toJsonSchema(items),
    additionalProperties: additionalProperties === undefined ? unknownFields : toJsonSchema(additionalProperties),
  };
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}

/** Returns the type or types of a value, or nothing if the schema does not limit the type. */
function convertType({ type, nullable, ...schema }: StructuralSchema): string | readonly string[] | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string', ...(nullable ? ['null'] : [])];
  return type !== undefined && nullable ? [type, 'null'] : type;
}

function convertProperties(properties: Readonly<Record<string, StructuralSchema>>): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, toJsonSchema(property)]));
}
