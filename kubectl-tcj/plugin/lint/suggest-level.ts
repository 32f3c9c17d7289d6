/** Suggests the correct level for a misplaced field. Users often confuse the fields of a CronJob, a Job, a Pod and a container. */
import type { StructuralSchema } from 'controller-runtime';

const POD_TEMPLATE = 'spec.jobTemplate.spec.template';

/** Levels that users confuse. */
const FIELD_LEVELS: readonly string[] = [
  'metadata',
  'spec',
  'spec.jobTemplate',
  'spec.jobTemplate.metadata',
  'spec.jobTemplate.spec',
  POD_TEMPLATE,
  `${POD_TEMPLATE}.metadata`,
  `${POD_TEMPLATE}.spec`,
  `${POD_TEMPLATE}.spec.containers[]`,
];

const MAX_SUGGESTED_LEVELS = 2;

/**
 * Returns a suggestion such as `it belongs in spec`. Returns `undefined` if no level has a field with that name.
 * @param field The path of an unknown field.
 */
export function suggestLevel(field: string, root: StructuralSchema): string | undefined {
  const fieldPath = splitPath(field.replaceAll(/\[\d+\]/g, '[]'));
  const name = fieldPath.at(-1);
  if (name === undefined) return undefined;
  const levels = FIELD_LEVELS.filter((level) => Object.hasOwn(getSchemaAt(root, level)?.properties ?? {}, name))
    .toSorted(
      (left, right) => computeDistance(fieldPath.slice(0, -1), left) - computeDistance(fieldPath.slice(0, -1), right),
    )
    .slice(0, MAX_SUGGESTED_LEVELS);
  return levels.length === 0 ? undefined : `it belongs in ${levels.join(' or ')}`;
}

function splitPath(path: string): readonly string[] {
  return path
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((segment) => segment !== '');
}

function getSchemaAt(root: StructuralSchema, level: string): StructuralSchema | undefined {
  // The metadata in the schema of a CRD contains only the name, so the metadata of the Job template replaces it.
  let schema: StructuralSchema | undefined = root;
  for (const segment of splitPath(level === 'metadata' ? 'spec.jobTemplate.metadata' : level)) {
    schema = segment === '[]' ? schema?.items : schema?.properties?.[segment];
  }
  return schema;
}

/** Counts the steps from a field up to the common ancestor and down to the level. */
function computeDistance(fieldPath: readonly string[], level: string): number {
  const levelPath = splitPath(level);
  const firstDifference = levelPath.findIndex((segment, index) => segment !== fieldPath[index]);
  const sharedLength = firstDifference === -1 ? levelPath.length : firstDifference;
  return fieldPath.length + levelPath.length - 2 * sharedLength;
}
