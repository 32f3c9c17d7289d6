/** Reviews of CronJobs, as the API server would send them. */
import { admissionReview } from 'controller-runtime/testing';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';

/** Of the validating webhook. */
export const PATH = '/validate-batch-tutorial-kubebuilder-io-v1-cronjob';

export function cronJobReview(spec: object): string {
  const kind = { group: API_VERSION.split('/')[0], version: 'v1', kind: KIND };
  const object = { apiVersion: API_VERSION, kind: KIND, metadata: { name: 'a', namespace: 'default' }, spec };
  return JSON.stringify(admissionReview({ object, request: { kind } }));
}
