/** Suggests where a misplaced field belongs. Users often confuse the fields of a CronJob, a Job, a Pod and a container. */
import type { StructuralSchema } from 'controller-runtime';

const POD_TEMPLATE = 'spec.jobTemplate.spec.template';

/** The paths of objects that users often confuse, so that they write a field into the wrong object. */
const PARENT_PATHS: readonly string[] = [
  'metadata',
  'spec',
  'spec.jobTemplate',
  'spec.jobTemplate.metadata',
  'spec.jobTemplate.spec',
  POD_TEMPLATE,
  `${POD_TEMPLATE}.metadata`,
  `${POD_TEMPLATE}.spec`,
  `${POD_TEMPLATE}.spec.securityContext`,
  `${POD_TEMPLATE}.spec.containers[]`,
  `${POD_TEMPLATE}.spec.containers[].securityContext`,
];

const ROOT_PATH = '';

const MAX_SUGGESTED_PATHS = 2;

/**
 * Returns a suggestion such as `it belongs in spec`. Returns `undefined` if no object in {@link PARENT_PATHS} has the field, or if
 * users do not confuse the object that contains the field, such as a volume, with these objects.
 * @param field The path of an unknown field.
 */
export function suggestParentPath(field: string, root: StructuralSchema): string | undefined {
  const fieldSegments = splitPath(field.replaceAll(/\[\d+\]/g, '[]'));
  const name = fieldSegments.at(-1);
  const containerSegments = fieldSegments.slice(0, -1).map((segment) => segment.replace(/^(init|ephemeral)C/, 'c'));
  const isConfusable = [ROOT_PATH, ...PARENT_PATHS].some((path) => splitPath(path).join() === containerSegments.join());
  if (name === undefined || !isConfusable) return undefined;
  const parentPaths = PARENT_PATHS.filter((parentPath) =>
    Object.hasOwn(getSchemaAt(root, parentPath)?.properties ?? {}, name),
  )
    .toSorted((left, right) => computeDistance(containerSegments, left) - computeDistance(containerSegments, right))
    .slice(0, MAX_SUGGESTED_PATHS);
  return parentPaths.length === 0 ? undefined : `it belongs in ${parentPaths.join(' or ')}`;
}

function splitPath(path: string): readonly string[] {
  return path
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((segment) => segment !== '');
}

function getSchemaAt(root: StructuralSchema, parentPath: string): StructuralSchema | undefined {
  // The schema of a CRD contains only `metadata.name`, so the function uses the schema of the Job template's metadata.
  let schema: StructuralSchema | undefined = root;
  for (const segment of splitPath(parentPath === 'metadata' ? 'spec.jobTemplate.metadata' : parentPath)) {
    schema = segment === '[]' ? schema?.items : schema?.properties?.[segment];
  }
  return schema;
}

/** Returns the number of segments after the common start of the two paths. */
function computeDistance(fieldSegments: readonly string[], parentPath: string): number {
  const parentSegments = splitPath(parentPath);
  const firstDifference = parentSegments.findIndex((segment, index) => segment !== fieldSegments[index]);
  const sharedLength = firstDifference === -1 ? parentSegments.length : firstDifference;
  return fieldSegments.length + parentSegments.length - 2 * sharedLength;
}
