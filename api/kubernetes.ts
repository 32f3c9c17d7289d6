/** Kubernetes' own types that the resource and its rules are made of. */
import type { Job } from '../runtime/kubernetes/batch.ts';
import type { NewObject } from '../runtime/kubernetes/object.ts';

export type { Job, JobTemplateSpec } from '../runtime/kubernetes/batch.ts';
export type { ManagedFieldsEntry as ManagedFields } from '../runtime/kubernetes/object.ts';

/** A batch/v1 Job that is yet to be created. */
export type NewJob = NewObject<Job> & Pick<Job, 'apiVersion' | 'kind'>;
