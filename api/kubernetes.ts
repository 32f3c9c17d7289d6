import type { Job, NewObject } from 'controller-runtime/kubernetes';

export type { Job, JobTemplateSpec, ManagedFieldsEntry as ManagedFields } from 'controller-runtime/kubernetes';

/** A batch/v1 Job to create. */
export type NewJob = NewObject<Job> & Pick<Job, 'apiVersion' | 'kind'>;
