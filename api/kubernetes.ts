import type { JobTemplateSpec as BatchJobTemplateSpec, Job, NewObject } from 'controller-runtime/kubernetes';

export type { Job, ManagedFieldsEntry as ManagedFields } from 'controller-runtime/kubernetes';

/**
 * The template of a Job. This type is an interface, because declaration files refer to an interface by its name and do
 * not list all its fields.
 */
export interface JobTemplateSpec extends BatchJobTemplateSpec {}

/** A batch/v1 Job to create. */
export type NewJob = NewObject<Job> & Pick<Job, 'apiVersion' | 'kind'>;
