/**
 * Admission policies that hold the manager to what its work consists of, where RBAC cannot say it: docs/adr/0020-narrowed-rights.md.
 * They name no account: the binding's parameter is the manager's ServiceAccount, so prefix and namespace of an installation reach
 * them as they reach every other object.
 */
import { stringify } from 'yaml';
import { GROUP, KIND, START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { FLAGS } from '../../cmd/flags.ts';

/** On a namespace, keeps the manager from starting Jobs there. */
export const REFUSING_LABEL = { key: `${GROUP}/jobs`, value: 'refused' } as const;

/** Those that every cluster has, whose Pods may do most. */
const REFUSED_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease'] as const;

/** Its name stands in its rules: metadata that the API server itself changes. */
const SERVER_SIDE_METADATA = ['managedFields', 'generation', 'resourceVersion'] as const;

interface Validation {
  readonly expression: string;
  readonly message: string;
}

interface PolicyParts {
  readonly name: string;
  readonly resourceRules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  }[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly Validation[];
}

/** The text of the manifests: each policy with its binding. */
export function managerPoliciesYaml(certificateSecret: string): string {
  const manifests = [jobsPolicy(), webhooksPolicy(), namesPolicy(certificateSecret)].flatMap(policyAndBinding);
  // YAML 1.1 is what kubectl reads.
  const options = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;
  return manifests.map((manifest) => `---\n${stringify(manifest, options)}`).join('');
}

/**
 * Whether two values are the same but for some keys. Fields are compared by their keys, not by name: those of later Kubernetes versions are
 * in it. `dyn` keeps type checks from asking for a list.
 */
function isSame(left: string, right: string, but: readonly string[]): string {
  const excepted = `[${but.map((key) => `'${key}'`).join(', ')}]`;
  const has = (one: string, other: string) =>
    `dyn(${one}).all(k, k in ${excepted} || (k in dyn(${other}) && dyn(${one})[k] == dyn(${other})[k]))`;
  return `${has(left, right)} && ${has(right, left)}`;
}

/** Where it starts Jobs, that it starts, changes and deletes none but those of CronJobs, and that a change only ends one earlier. */
function jobsPolicy(): PolicyParts {
  const isOwner = `o.?controller.orValue(false) && o.kind == '${KIND}' && o.apiVersion.startsWith('${GROUP}/')`;
  const label = `namespaceObject.metadata.?labels[?'${REFUSING_LABEL.key}'].orValue('')`;
  return {
    name: 'manager-jobs',
    resourceRules: [{ apiGroups: ['batch'], resources: ['jobs'], operations: ['CREATE', 'UPDATE', 'DELETE'] }],
    variables: [
      { name: 'refusedNamespaces', expression: JSON.stringify(REFUSED_NAMESPACES) },
      {
        name: 'jobs',
        expression:
          "request.operation == 'CREATE' ? [object] : (request.operation == 'DELETE' ? [oldObject] : [oldObject, object])",
      },
      { name: 'isTrial', expression: 'has(request.dryRun) && request.dryRun' },
      // Looked at in an UPDATE only, which has both objects. No deadline is negative.
      { name: 'annotations', expression: 'object.metadata.?annotations.orValue({})' },
      { name: 'annotationsBefore', expression: 'oldObject.metadata.?annotations.orValue({})' },
      { name: 'deadline', expression: 'object.spec.?activeDeadlineSeconds.orValue(-1)' },
      { name: 'deadlineBefore', expression: 'oldObject.spec.?activeDeadlineSeconds.orValue(-1)' },
    ],
    validations: [
      {
        expression: "request.operation != 'CREATE' || request.namespace != params.metadata.namespace",
        message: 'the manager starts no Jobs in its own namespace: their Pods could pose as the manager',
      },
      {
        expression: "request.operation != 'CREATE' || !(request.namespace in variables.refusedNamespaces)",
        message: 'the manager starts no Jobs in this namespace: it is one of those that the policy refuses by name',
      },
      {
        expression: `request.operation != 'CREATE' || ${label} != '${REFUSING_LABEL.value}'`,
        message: `the manager starts no Jobs in this namespace: it has the label ${REFUSING_LABEL.key}=${REFUSING_LABEL.value}`,
      },
      {
        expression: `variables.isTrial || variables.jobs.all(job, job.metadata.?ownerReferences.orValue([]).exists(o, ${isOwner}))`,
        message: 'the manager starts, changes and deletes no Jobs but those that a CronJob controls',
      },
      ...[
        isSame('object.metadata', 'oldObject.metadata', [...SERVER_SIDE_METADATA, 'annotations']),
        isSame('variables.annotations', 'variables.annotationsBefore', [START_TIMEOUT_ANNOTATION]),
        isSame('object.spec', 'oldObject.spec', ['activeDeadlineSeconds']),
        'variables.deadline == variables.deadlineBefore || (variables.deadline >= 0 && (variables.deadlineBefore < 0 || variables.deadline < variables.deadlineBefore))',
      ].map((expression) => ({
        expression: `request.operation != 'UPDATE' || (${expression})`,
        message:
          'the manager changes nothing of Jobs but an earlier activeDeadlineSeconds and the annotation that says why',
      })),
    ],
  };
}

/** Of the configurations of webhooks it may change whom they trust, and nothing else. */
function webhooksPolicy(): PolicyParts {
  const message = 'the manager changes nothing of webhook configurations but webhooks[].clientConfig.caBundle';
  return {
    name: 'manager-webhook-configurations',
    resourceRules: [
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
        operations: ['UPDATE'],
      },
    ],
    variables: [
      { name: 'before', expression: 'dyn(oldObject).?webhooks.orValue([])' },
      { name: 'after', expression: 'dyn(object).?webhooks.orValue([])' },
    ],
    validations: [
      { expression: isSame('object.metadata', 'oldObject.metadata', SERVER_SIDE_METADATA), message },
      { expression: 'variables.before.map(w, w.name) == variables.after.map(w, w.name)', message },
      {
        expression: `variables.after.all(w, variables.before.exists(o, o.name == w.name && ${isSame('w', 'o', ['clientConfig'])}))`,
        message,
      },
      {
        expression: `variables.after.all(w, variables.before.exists(o, o.name == w.name && ${isSame('w.clientConfig', 'o.clientConfig', ['caBundle'])}))`,
        message,
      },
    ],
  };
}

/** What RBAC cannot limit to a name: a create has none in its path. */
function namesPolicy(certificateSecret: string): PolicyParts {
  const lease = FLAGS.leaderElectionId.default;
  return {
    name: 'manager-names',
    resourceRules: [
      { apiGroups: [''], resources: ['secrets'], operations: ['CREATE'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], operations: ['CREATE'] },
    ],
    variables: [],
    validations: [
      {
        expression: `request.resource.resource != 'secrets' || (object.metadata.name == '${certificateSecret}' && object.type == 'kubernetes.io/tls')`,
        message: `the manager creates no Secret but ${certificateSecret}, of type kubernetes.io/tls`,
      },
      {
        expression: `request.resource.resource != 'leases' || object.metadata.name == '${lease}'`,
        message: `the manager creates no Lease but ${lease}`,
      },
    ],
  };
}

function policyAndBinding({ name, resourceRules, variables, validations }: PolicyParts): readonly object[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const isManager =
    "request.userInfo.username == 'system:serviceaccount:' + params.metadata.namespace + ':' + params.metadata.name";
  const policy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      paramKind: { apiVersion: 'v1', kind: 'ServiceAccount' },
      matchConstraints: { resourceRules: resourceRules.map((rule) => ({ ...rule, apiVersions: ['*'] })) },
      matchConditions: [{ name: 'is-the-manager', expression: isManager }],
      ...(variables.length > 0 && { variables }),
      validations: validations.map((validation) => ({ ...validation, reason: 'Forbidden' })),
    },
  };
  const binding = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: {
      policyName: name,
      // Without the ServiceAccount there is no manager to bind, and everybody else must not be refused for it.
      paramRef: { name: 'controller-manager', namespace: 'system', parameterNotFoundAction: 'Allow' },
      validationActions: ['Deny'],
    },
  };
  return [policy, binding];
}
