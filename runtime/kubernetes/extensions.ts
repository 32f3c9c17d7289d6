/** API groups for extensions of the API server. */
import type {
  V1APIService,
  V1CustomResourceDefinition,
  V1MutatingWebhookConfiguration,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource } from './resource.ts';
import type { StoredClusterObject } from './wire.ts';

const ADMISSION_API_VERSION = 'admissionregistration.k8s.io/v1';

/** Webhooks that change objects before the API server stores them. */
export interface MutatingWebhookConfiguration
  extends StoredClusterObject<
    V1MutatingWebhookConfiguration,
    typeof ADMISSION_API_VERSION,
    'MutatingWebhookConfiguration'
  > {}
/** Validation rules in CEL that the API server evaluates for each write. */
export interface ValidatingAdmissionPolicy
  extends StoredClusterObject<
    V1ValidatingAdmissionPolicy,
    typeof ADMISSION_API_VERSION,
    'ValidatingAdmissionPolicy',
    'spec'
  > {}
/** Applies a ValidatingAdmissionPolicy to objects. */
export interface ValidatingAdmissionPolicyBinding
  extends StoredClusterObject<
    V1ValidatingAdmissionPolicyBinding,
    typeof ADMISSION_API_VERSION,
    'ValidatingAdmissionPolicyBinding',
    'spec'
  > {}
/** Webhooks that accept or reject objects before the API server stores them. */
export interface ValidatingWebhookConfiguration
  extends StoredClusterObject<
    V1ValidatingWebhookConfiguration,
    typeof ADMISSION_API_VERSION,
    'ValidatingWebhookConfiguration'
  > {}

/** API group admissionregistration.k8s.io/v1: admission webhooks and admission policies. */
export const admissionregistration = {
  v1: {
    mutatingWebhookConfigurations: clusterResource<MutatingWebhookConfiguration>(
      ADMISSION_API_VERSION,
      'MutatingWebhookConfiguration',
    ),
    validatingAdmissionPolicies: clusterResource<ValidatingAdmissionPolicy>(
      ADMISSION_API_VERSION,
      'ValidatingAdmissionPolicy',
    ),
    validatingAdmissionPolicyBindings: clusterResource<ValidatingAdmissionPolicyBinding>(
      ADMISSION_API_VERSION,
      'ValidatingAdmissionPolicyBinding',
    ),
    validatingWebhookConfigurations: clusterResource<ValidatingWebhookConfiguration>(
      ADMISSION_API_VERSION,
      'ValidatingWebhookConfiguration',
    ),
  },
} as const;

/** The definition of a custom kind. */
export interface CustomResourceDefinition
  extends StoredClusterObject<V1CustomResourceDefinition, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition'> {}

/** API group apiextensions.k8s.io/v1: definitions of custom resources. */
export const apiextensions = {
  v1: {
    customResourceDefinitions: clusterResource<CustomResourceDefinition>(
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
    ),
  },
} as const;

/** A group version that an aggregated API server serves. */
export interface APIService
  extends StoredClusterObject<V1APIService, 'apiregistration.k8s.io/v1', 'APIService', 'spec'> {}

/** API group apiregistration.k8s.io/v1: aggregated API servers. */
export const apiregistration = {
  v1: {
    apiServices: clusterResource<APIService>('apiregistration.k8s.io/v1', 'APIService'),
  },
} as const;
