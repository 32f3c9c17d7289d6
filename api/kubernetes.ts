/** Kubernetes types that the kind and its rules use. */
import type { Job, NewObject } from 'controller-runtime/kubernetes';

export type { Job, JobTemplateSpec, ManagedFieldsEntry as ManagedFields } from 'controller-runtime/kubernetes';

/** A batch/v1 Job that does not exist yet. */
export type NewJob = NewObject<Job> & Pick<Job, 'apiVersion' | 'kind'>;
