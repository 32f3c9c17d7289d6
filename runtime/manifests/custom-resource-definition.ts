import type { Kind } from '../schema/kind.ts';
import type { NameRule } from '../schema/kind-schema.ts';
import type { PrinterColumn, StructuralSchema, ValidationRule } from '../schema/structural-schema.ts';
import { canBeAbsent } from '../schema/wrapped-schema.ts';
import { withNullableFields } from './nullable-fields.ts';
import { structuralFaults } from './structural-faults.ts';
import { type KubernetesSchemas, structuralFromZod } from './structural-from-zod.ts';

/** A CustomResourceDefinition with the fields of `apiextensions.k8s.io/v1` that the generator uses. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  /** The name is `<plural>.<group>`. */
  readonly metadata: { readonly name: string };
  /** The names, the scope and the versions with their schemas. */
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly scope: 'Namespaced' | 'Cluster';
    readonly versions: readonly [CrdVersion, ...CrdVersion[]];
  };
}

interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  /** Whether the API server stores objects in this version. True for exactly one version. */
  readonly storage: boolean;
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly subresources?: { readonly status: Readonly<Record<never, never>> };
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
}

/**
 * Generates the CRD of `kind`. Throws an error with all faults if an API server would reject the schema.
 *
 * @param kubernetesSchemas Schemas that the kind references with `kubernetesSchema()`.
 */
export function customResourceDefinition(
  kind: Kind,
  kubernetesSchemas: KubernetesSchemas = {},
): CustomResourceDefinition {
  const { plural, group, singular, shortNames, categories } = kind;
  const names = {
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural,
    singular,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names,
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      versions: [buildCrdVersion(kind, kubernetesSchemas)],
    },
  };
}

function buildCrdVersion(kind: Kind, kubernetesSchemas: KubernetesSchemas): CrdVersion {
  const schema = buildRootSchema(kind, kubernetesSchemas);
  const faults = structuralFaults(schema);
  if (faults.length > 0) throw new Error(`the CRD of ${kind.kind} is not structural:\n${faults.join('\n')}`);
  return {
    name: kind.version,
    served: true,
    storage: true,
    additionalPrinterColumns: kind.printerColumns,
    ...(kind.schema.status && { subresources: { status: {} } }),
    schema: { openAPIV3Schema: schema },
  };
}

function buildRootSchema(
  { description, rules, name, schema }: Kind,
  kubernetesSchemas: KubernetesSchemas,
): StructuralSchema {
  const { spec, status } = schema;
  const validations = [...(name ? [buildNameRule(name)] : []), ...rules];
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...(!canBeAbsent(spec) && { required: ['spec'] }),
    properties: {
      apiVersion: { type: 'string', description: 'Version of the schema this object is written in.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: { type: 'object', ...(name && { properties: { name: { type: 'string' } } }) },
      spec: withNullableFields(structuralFromZod(spec, kubernetesSchemas)),
      ...(status && { status: structuralFromZod(status, kubernetesSchemas) }),
    },
    ...(validations.length > 0 && { 'x-kubernetes-validations': validations }),
  };
}

/**
 * Returns a rule that checks the name of new objects only, which have no `oldSelf`. The API server evaluates the rule
 * on every write, so a rule that also checked existing objects would block the removal of their finalizers.
 */
function buildNameRule({ maxLength, message }: NameRule): ValidationRule {
  return {
    rule: `oldSelf.hasValue() || self.metadata.name.size() <= ${maxLength}`,
    optionalOldSelf: true,
    message,
    fieldPath: '.metadata.name',
  };
}
