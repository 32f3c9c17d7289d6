/** admissionregistration.k8s.io/v1: who is asked before an object is stored. */
import type {
  V1MutatingWebhookConfiguration,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource } from './resource.ts';
import type { StoredCluster } from './wire.ts';

export interface MutatingWebhookConfiguration
  extends StoredCluster<
    V1MutatingWebhookConfiguration,
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration'
  > {}
export interface ValidatingAdmissionPolicy
  extends StoredCluster<
    V1ValidatingAdmissionPolicy,
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
    'spec'
  > {}
export interface ValidatingAdmissionPolicyBinding
  extends StoredCluster<
    V1ValidatingAdmissionPolicyBinding,
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicyBinding',
    'spec'
  > {}
export interface ValidatingWebhookConfiguration
  extends StoredCluster<
    V1ValidatingWebhookConfiguration,
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration'
  > {}

export const admissionregistration = {
  v1: {
    mutatingWebhookConfigurations: clusterResource<MutatingWebhookConfiguration>(
      'admissionregistration.k8s.io/v1',
      'MutatingWebhookConfiguration',
    ),
    validatingAdmissionPolicies: clusterResource<ValidatingAdmissionPolicy>(
      'admissionregistration.k8s.io/v1',
      'ValidatingAdmissionPolicy',
    ),
    validatingAdmissionPolicyBindings: clusterResource<ValidatingAdmissionPolicyBinding>(
      'admissionregistration.k8s.io/v1',
      'ValidatingAdmissionPolicyBinding',
    ),
    validatingWebhookConfigurations: clusterResource<ValidatingWebhookConfiguration>(
      'admissionregistration.k8s.io/v1',
      'ValidatingWebhookConfiguration',
    ),
  },
} as const;
