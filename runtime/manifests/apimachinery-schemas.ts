/** Schemas of Kubernetes' types that OpenAPI cannot describe as a CRD needs them, keyed by their name in OpenAPI. */
import type { StructuralSchema } from '../schema/structural-schema.ts';

const intOrString: StructuralSchema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};

/** The pattern controller-gen gives a quantity. */
export const QUANTITY: StructuralSchema = {
  ...intOrString,
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))' +
    '(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
};

const stringMap: StructuralSchema = { type: 'object', additionalProperties: { type: 'string', default: '' } };

/**
 * Metadata inside a template. A bare `type: object`, which controller-gen writes unless asked, makes the API server prune
 * every label and annotation (kubernetes issue 103739).
 *
 * The rest of ObjectMeta is the server's to set. `creationTimestamp` is here because manifests that older clients printed
 * say `creationTimestamp: null`, which strict field validation refuses as unknown.
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
