import type { Kind, ScalePaths } from '../schema/kind.ts';
import type { NameRule } from '../schema/kind-schema.ts';
import type { PrinterColumn, StructuralSchema, ValidationRule } from '../schema/structural-schema.ts';
import { canBeAbsent } from '../schema/wrapped-schema.ts';
import { CONVERSION_PATH } from '../webhook/webhook-declaration.ts';
import { withNullableFields } from './nullable-fields.ts';
import { findPathFaults } from './path-faults.ts';
import { structuralFaults } from './structural-faults.ts';
import { type KubernetesSchemas, structuralFromZod } from './structural-from-zod.ts';
import { KUSTOMIZE_NAMES, type WebhookService } from './webhook-configuration.ts';

/** A CustomResourceDefinition with the fields of `apiextensions.k8s.io/v1` that the generator uses. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  /** The name of a CustomResourceDefinition is `<plural>.<group>`. */
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
    /** How the API server converts objects between versions. Absent for a kind with one version. */
    readonly conversion?: CrdConversion;
  };
}

/**
 * The address of the conversion webhook of a kind: a Service, or the origin of a URL such as
 * `https://192.168.1.5:9443`.
 */
export type ConversionServer =
  | { readonly service: WebhookService }
  | {
      readonly url: string;
      /**
       * CA certificates in PEM that the API server uses to verify the webhook server. Default: the manager sets the
       * certificates.
       */
      readonly caBundle?: string;
    };

/** The conversion of a CustomResourceDefinition by a webhook. */
export interface CrdConversion {
  readonly strategy: 'Webhook';
  /** The webhook, and the versions of ConversionReview that the webhook accepts. */
  readonly webhook: {
    readonly clientConfig:
      | { readonly service: WebhookService & { readonly path: string } }
      | { readonly url: string; readonly caBundle?: string };
    readonly conversionReviewVersions: readonly ['v1'];
  };
}

interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  /** Whether the API server stores objects in this version. True for exactly one version. */
  readonly storage: boolean;
  /** Whether the API server sends a warning with each response. */
  readonly deprecated?: true;
  /** Text of the warning. Default: the API server sends a text that contains the name of the version. */
  readonly deprecationWarning?: string;
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
  readonly subresources?: { readonly status: Readonly<Record<never, never>>; readonly scale?: ScalePaths };
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
}

/**
 * Generates the CRD of `kind` with all its versions. Throws an error with all faults if an API server would reject a
 * schema.
 *
 * @param kubernetesSchemas Schemas that the kind references with `kubernetesSchema()`.
 * @param conversionServer Address of the conversion webhook of a kind with several versions. Default: the Service of
 * {@link KUSTOMIZE_NAMES}.
 */
export function customResourceDefinition(
  kind: Kind,
  kubernetesSchemas: KubernetesSchemas = {},
  conversionServer: ConversionServer = KUSTOMIZE_NAMES,
): CustomResourceDefinition {
  const { plural, group, singular, shortNames, categories } = kind;
  const otherVersions = Object.values(kind.versions);
  const isHubStored = !otherVersions.some(({ storage }) => storage);
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
      versions: [
        buildCrdVersion(kind, isHubStored, kubernetesSchemas),
        ...otherVersions.map((version) => buildCrdVersion(version, version.storage, kubernetesSchemas)),
      ],
      ...(otherVersions.length > 0 && { conversion: buildConversion(conversionServer) }),
    },
  };
}

/** Returns the field `conversion` for a kind with several versions. */
export function buildConversion(server: ConversionServer): CrdConversion {
  return {
    strategy: 'Webhook',
    webhook: { clientConfig: buildClientConfig(server), conversionReviewVersions: ['v1'] },
  };
}

function buildClientConfig(server: ConversionServer): CrdConversion['webhook']['clientConfig'] {
  if ('service' in server) return { service: { ...server.service, path: CONVERSION_PATH } };
  const { url, caBundle } = server;
  return {
    url: new URL(CONVERSION_PATH, url).href,
    ...(caBundle !== undefined && { caBundle: Buffer.from(caBundle).toString('base64') }),
  };
}

function buildCrdVersion(kind: Kind, storage: boolean, kubernetesSchemas: KubernetesSchemas): CrdVersion {
  const schema = buildRootSchema(kind, kubernetesSchemas);
  const faults = structuralFaults(schema);
  if (faults.length > 0)
    throw new Error(`the CRD of ${kind.kind} ${kind.version} is not structural:\n${faults.join('\n')}`);
  const pathFaults = findPathFaults(kind, schema);
  if (pathFaults.length > 0)
    throw new Error(`an API server would refuse the CRD of ${kind.kind} ${kind.version}:\n${pathFaults.join('\n')}`);
  const { version, served, deprecated, scale, selectableFields = [] } = kind;
  return {
    name: version,
    served,
    storage,
    ...(deprecated !== undefined && { deprecated: true }),
    ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }),
    additionalPrinterColumns: kind.printerColumns,
    ...(selectableFields.length > 0 && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
    ...(kind.schema.status && { subresources: { status: {}, ...(scale && { scale }) } }),
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
      apiVersion: { type: 'string', description: 'API version of this object.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: { type: 'object', ...(name && { properties: { name: { type: 'string' } } }) },
      spec: withNullableFields(structuralFromZod(spec, kubernetesSchemas)),
      ...(status && { status: structuralFromZod(status, kubernetesSchemas) }),
    },
    ...(validations.length > 0 && { 'x-kubernetes-validations': validations }),
  };
}

/**
 * Returns a rule that checks only the names of new objects. A new object has no `oldSelf`. The API server evaluates the
 * rule on every write. If the rule also checked existing objects, users could not remove the finalizers of an object
 * with a long name.
 */
function buildNameRule({ maxLength, message }: NameRule): ValidationRule {
  return {
    rule: `oldSelf.hasValue() || self.metadata.name.size() <= ${maxLength}`,
    optionalOldSelf: true,
    message,
    fieldPath: '.metadata.name',
  };
}
