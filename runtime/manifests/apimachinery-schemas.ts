/** Schemas of Kubernetes' types that OpenAPI does not describe as a CRD requires, by their name in OpenAPI. */
import type { StructuralSchema } from '../schema/structural-schema.ts';

const intOrString: StructuralSchema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};

/** controller-gen's pattern of a quantity. */
export const QUANTITY: StructuralSchema = {
  ...intOrString,
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))' +
    '(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
};

const stringMap: StructuralSchema = { type: 'object', additionalProperties: { type: 'string', default: '' } };

/**
 * Metadata inside a template. A bare `type: object`, which controller-gen writes by default, makes the API server prune
 * every label and annotation (kubernetes issue 103739).
 *
 * The server sets the rest of ObjectMeta. `creationTimestamp` is here because older clients printed manifests with
 * `creationTimestamp: null`, which strict field validation rejects as unknown.
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
  'io.k8s.apimachinery.pkg.api.resource.Quantity': QUANTITY,
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': intOrString,
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': embeddedObjectMeta,
};
