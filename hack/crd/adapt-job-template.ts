/** Adapts the API server's schema of a Job template for our CRD. */
import type { StructuralSchema } from 'controller-runtime';

/** @param jobTemplate The schema of `JobTemplateSpec`. */
export function adaptJobTemplate(jobTemplate: StructuralSchema): StructuralSchema {
  const { properties, items } = jobTemplate;
  if (properties === undefined && items === undefined) return jobTemplate;
  const entries = Object.entries(properties ?? {}).map(([name, child]) => {
    const adaptedChild = adaptJobTemplate(child);
    return [name, FIELD_CHANGES.get(name)?.(adaptedChild) ?? adaptedChild] as const;
  });
  return {
    ...jobTemplate,
    ...(properties && { properties: Object.fromEntries(entries) }),
    ...(items && { items: adaptJobTemplate(items) }),
  };
}

/** The changes of the schema by the name of a field, at any depth. */
const FIELD_CHANGES: ReadonlyMap<string, (schema: StructuralSchema) => StructuralSchema> = new Map([
  // The list `claims` may contain several elements with the same name (docs/adr/0016-list-types.md), although `name` is its only list map
  // key. The API server accepts such duplicates in built-in kinds, but would reject them in a CRD.
  ['resources', (resources) => withAtomicList(resources, 'claims')],
  // A variable has either a value or a source, so ownership of its single fields is not useful (docs/adr/0028-cost-of-a-status-write.md).
  ['env', withAtomicItems],
]);

function withAtomicItems(list: StructuralSchema): StructuralSchema {
  return list.items === undefined ? list : { ...list, items: { ...list.items, 'x-kubernetes-map-type': 'atomic' } };
}

function withAtomicList(schema: StructuralSchema, name: string): StructuralSchema {
  const list = schema.properties?.[name];
  if (list === undefined) return schema;
  const { 'x-kubernetes-list-map-keys': _, ...rest } = list;
  return { ...schema, properties: { ...schema.properties, [name]: { ...rest, 'x-kubernetes-list-type': 'atomic' } } };
}
