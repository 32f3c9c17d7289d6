import type { Kind } from '../schema/kind.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

const MAX_SELECTABLE_FIELDS = 8;
const SELECTABLE_TYPES = ['string', 'boolean', 'integer'];

/**
 * Finds the paths in `scale` and `selectableFields` that an API server rejects. Returns a sentence for each of the
 * paths.
 */
export function findPathFaults(
  { scale, selectableFields = [] }: Pick<Kind, 'scale' | 'selectableFields'>,
  schema: StructuralSchema,
): readonly string[] {
  const isIn = (path: string, roots: readonly string[], types: readonly string[]) =>
    roots.some((root) => path.startsWith(`.${root}.`)) && types.includes(findField(schema, path)?.type ?? '');
  const scaleRules: readonly (readonly [keyof NonNullable<Kind['scale']>, readonly string[], string])[] = [
    ['specReplicasPath', ['spec'], 'integer'],
    ['statusReplicasPath', ['status'], 'integer'],
    ['labelSelectorPath', ['spec', 'status'], 'string'],
  ];
  return [
    ...scaleRules.flatMap(([name, roots, type]) => {
      const path = scale?.[name];
      return path === undefined || isIn(path, roots, [type])
        ? []
        : [`scale.${name}: ${path} must be the path of a field of type ${type} below .${roots.join(' or .')}`];
    }),
    ...selectableFields
      .filter((path) => !isIn(path, ['spec', 'status'], SELECTABLE_TYPES))
      .map(
        (path) =>
          `selectableFields: ${path} must be the path of a string, boolean or integer field, such as .spec.color`,
      ),
    ...(selectableFields.length > MAX_SELECTABLE_FIELDS
      ? [`selectableFields: must have at most ${MAX_SELECTABLE_FIELDS} paths, not ${selectableFields.length}`]
      : []),
  ];
}

function findField(schema: StructuralSchema, path: string): StructuralSchema | undefined {
  const names = path.split('.').slice(1);
  return names.reduce<StructuralSchema | undefined>((parent, name) => parent?.properties?.[name], schema);
}
