/**
 * Finds the right level for a field at the wrong level: users easily confuse the fields of a CronJob, its Jobs, their Pods and
 * containers.
 */
import type { StructuralSchema } from 'controller-runtime';

const POD_TEMPLATE = 'spec.jobTemplate.spec.template';

/** Levels that users confuse. */
const LEVELS: readonly string[] = [
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

/** Maximum levels to suggest, nearest first. */
const MAX_NAMED = 2;

/**
 * A suggestion such as `it belongs in spec`; `undefined` for a name that no level has.
 * @param field A field that the schema does not have at its place.
 */
export function suggestLevel(field: string, root: StructuralSchema): string | undefined {
  const steps = splitPath(field.replaceAll(/\[\d+\]/g, '[]'));
  const name = steps.at(-1);
  if (name === undefined) return undefined;
  const found = LEVELS.filter((level) => Object.hasOwn(getSchemaAt(root, level)?.properties ?? {}, name))
    .toSorted((left, right) => computeDistance(steps.slice(0, -1), left) - computeDistance(steps.slice(0, -1), right))
    .slice(0, MAX_NAMED);
  return found.length === 0 ? undefined : `it belongs in ${found.join(' or ')}`;
}

function splitPath(path: string): readonly string[] {
  return path
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((step) => step !== '');
}

function getSchemaAt(root: StructuralSchema, level: string): StructuralSchema | undefined {
  // For metadata, the schema of a CRD has only the name. The metadata of a template have the fields that users write.
  let schema: StructuralSchema | undefined = root;
  for (const step of splitPath(level === 'metadata' ? 'spec.jobTemplate.metadata' : level)) {
    schema = step === '[]' ? schema?.items : schema?.properties?.[step];
  }
  return schema;
}

/** Number of steps up from one place and down to the other. */
function computeDistance(from: readonly string[], level: string): number {
  const to = splitPath(level);
  const differs = to.findIndex((step, index) => step !== from[index]);
  const shared = differs === -1 ? to.length : differs;
  return from.length + to.length - 2 * shared;
}
