/** Defines the resources that the controller reads and writes. */
import { batch, core, type Resource } from 'controller-runtime/kubernetes';
import { CronJob } from '../api/v1/cronjob-types.ts';
import { CronJobRun } from '../api/v1/cronjobrun-types.ts';

// The webhook also checks the schema, so that one response contains the errors of the schema and of the dry run.
const { schema: _, ...withoutSchema } = CronJob;

export const cronJobs: Resource<CronJob> = withoutSchema;

export const cronJobRuns: Resource<CronJobRun> = CronJobRun;

export const { jobs } = batch.v1;

/** Pods are not cached, because the cache would store every Pod of the cluster. */
export const { pods } = core.v1;
