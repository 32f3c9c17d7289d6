/** admissionregistration.k8s.io/v1: who is asked before an object is stored. */
import type {
  V1MutatingWebhookConfiguration,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource } from './resource.ts';
import type { StoredCluster } from './wire.ts';

const V1 = 'admissionregistration.k8s.io/v1';

export interface MutatingWebhookConfiguration
  extends StoredCluster<V1MutatingWebhookConfiguration, typeof V1, 'MutatingWebhookConfiguration'> {}
export interface ValidatingAdmissionPolicy
  extends StoredCluster<V1ValidatingAdmissionPolicy, typeof V1, 'ValidatingAdmissionPolicy', 'spec'> {}
export interface ValidatingAdmissionPolicyBinding
  extends StoredCluster<V1ValidatingAdmissionPolicyBinding, typeof V1, 'ValidatingAdmissionPolicyBinding', 'spec'> {}
export interface ValidatingWebhookConfiguration
  extends StoredCluster<V1ValidatingWebhookConfiguration, typeof V1, 'ValidatingWebhookConfiguration'> {}

export const admissionregistration = {
  v1: {
    mutatingWebhookConfigurations: clusterResource<MutatingWebhookConfiguration>(V1, 'MutatingWebhookConfiguration'),
    validatingAdmissionPolicies: clusterResource<ValidatingAdmissionPolicy>(V1, 'ValidatingAdmissionPolicy'),
    validatingAdmissionPolicyBindings: clusterResource<ValidatingAdmissionPolicyBinding>(
      V1,
      'ValidatingAdmissionPolicyBinding',
    ),
    validatingWebhookConfigurations: clusterResource<ValidatingWebhookConfiguration>(
      V1,
      'ValidatingWebhookConfiguration',
    ),
  },
} as const;
