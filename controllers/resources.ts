/** The kinds that the controller works with. */
import { CronJob } from '../api/v1/cronjob-types.ts';
import { batch } from '../runtime/kubernetes/batch.ts';
import type { Resource } from '../runtime/kubernetes/resource.ts';

export const cronJobs: Resource<CronJob> = CronJob;
export const { jobs } = batch.v1;
