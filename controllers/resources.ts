/** The kinds that the controller works with. */
import { batch, type Resource } from 'controller-runtime/kubernetes';
import { CronJob } from '../api/v1/cronjob-types.ts';

// Without its schema, by which webhooks refuse an object before any handler is called: the validator of CronJobs says that and what
// the API server thinks of the template at once.
const { schema: _, ...served } = CronJob;

export const cronJobs: Resource<CronJob> = served;

export const { jobs } = batch.v1;
