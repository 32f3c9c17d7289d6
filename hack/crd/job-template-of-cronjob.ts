/** Where the template of our CronJob says something else than the API server's own schema of it. */
import type { StructuralSchema } from 'controller-runtime';

/** @param jobTemplate The schema of `JobTemplateSpec`. */
export function jobTemplateOfCronJob(jobTemplate: StructuralSchema): StructuralSchema {
  return withAtomicClaims(jobTemplate);
}

/**
 * A container may use several requests of one claim, each an element with the claim's name (docs/adr/0016-list-types.md). The schema
 * has `name` as the only key, and the API server holds no built-in kind to that; of a CRD it would refuse the second.
 */
function withAtomicClaims(schema: StructuralSchema): StructuralSchema {
  const { properties, items } = schema;
  if (properties === undefined && items === undefined) return schema;
  const entries = Object.entries(properties ?? {}).map(([name, child]) => {
    const changed = withAtomicClaims(child);
    return [name, name === 'resources' ? withAtomicList(changed, 'claims') : changed] as const;
  });
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(entries) }),
    ...(items && { items: withAtomicClaims(items) }),
  };
}

function withAtomicList(schema: StructuralSchema, name: string): StructuralSchema {
  const list = schema.properties?.[name];
  if (list === undefined) return schema;
  const { 'x-kubernetes-list-map-keys': _, ...rest } = list;
  return { ...schema, properties: { ...schema.properties, [name]: { ...rest, 'x-kubernetes-list-type': 'atomic' } } };
}
