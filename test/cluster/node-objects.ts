/** The objects that replace nodes and a scheduler. */

/** Name of the only Node. */
export const NODE = 'node';

const BINDING_POLICY = 'bind-pods-to-the-only-node';
const ADMISSION_PATH = '/apis/admissionregistration.k8s.io/v1';

/** Objects to create, with the path for the POST of each. */
export function nodeObjects(): readonly { readonly path: string; readonly object: object }[] {
  return [
    { path: '/api/v1/nodes', object: { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } } },
    { path: `${ADMISSION_PATH}/mutatingadmissionpolicies`, object: bindingPolicy() },
    {
      path: `${ADMISSION_PATH}/mutatingadmissionpolicybindings`,
      object: { metadata: { name: BINDING_POLICY }, spec: { policyName: BINDING_POLICY } },
    },
  ];
}

/** With one Node a scheduler is not necessary: a policy binds Pods at their creation. */
function bindingPolicy(): object {
  return {
    metadata: { name: BINDING_POLICY },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      matchConditions: [{ name: 'unbound', expression: '!has(object.spec.nodeName)' }],
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: `[JSONPatch{op: "add", path: "/spec/nodeName", value: "${NODE}"}]` },
        },
      ],
    },
  };
}
