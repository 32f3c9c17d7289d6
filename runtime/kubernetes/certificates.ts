/** certificates.k8s.io/v1: certificates that the cluster signs. */
import type { V1CertificateSigningRequest } from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterResource } from './resource.ts';
import type { StoredCluster } from './wire.ts';

export interface CertificateSigningRequest
  extends StoredCluster<V1CertificateSigningRequest, 'certificates.k8s.io/v1', 'CertificateSigningRequest'> {}

export const certificates = {
  v1: {
    certificateSigningRequests: clusterResource<CertificateSigningRequest>(
      'certificates.k8s.io/v1',
      'CertificateSigningRequest',
    ),
  },
} as const;
