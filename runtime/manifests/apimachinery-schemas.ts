/**
 * CRD schemas for Kubernetes types whose OpenAPI schemas are not valid in a CRD. The key is the OpenAPI name of the
 * type.
 */
import type { StructuralSchema } from '../schema/structural-schema.ts';

const intOrString: StructuralSchema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};

/** Schema of a quantity, with the pattern that controller-gen uses. */
export const QUANTITY_SCHEMA: StructuralSchema = {
  ...intOrString,
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))' +
    '(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
};

const stringMap: StructuralSchema = { type: 'object', additionalProperties: { type: 'string', default: '' } };

/**
 * Schema of the metadata in a template. controller-gen writes only `type: object`. With this schema, the API server
 * prunes every label and annotation of the template (kubernetes issue 103739).
 *
 * The schema contains only `creationTimestamp` and the fields of ObjectMeta that users set. Older clients print
 * `creationTimestamp: null` in manifests, which strict field validation would otherwise reject.
 */
const embeddedObjectMeta: StructuralSchema = {
  type: 'object',
  properties: {
    annotations: stringMap,
    creationTimestamp: { type: 'string', format: 'date-time' },
    finalizers: { type: 'array', items: { type: 'string', default: '' }, 'x-kubernetes-list-type': 'set' },
    labels: stringMap,
    name: { type: 'string' },
    namespace: { type: 'string' },
  },
};

export const APIMACHINERY_SCHEMAS: Readonly<Record<string, StructuralSchema>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': QUANTITY_SCHEMA,
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': intOrString,
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': embeddedObjectMeta,
};
