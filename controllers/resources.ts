/** The kinds that the controller works with. */
import { batch, core, type Resource } from 'controller-runtime/kubernetes';
import { CronJob } from '../api/v1/cronjob-types.ts';

// Without its schema: with a schema, webhooks would check it before they call the validator, and refuse. The validator of CronJobs
// checks the schema itself, so that one response has its errors and the errors of the Job's dry run.
const { schema: _, ...served } = CronJob;

export const cronJobs: Resource<CronJob> = served;

export const { jobs } = batch.v1;

/** Read only from the API server: a cache would hold every Pod of the cluster. */
export const { pods } = core.v1;
