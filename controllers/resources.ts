/** Defines the resources that the controller reads and writes. */
import { batch, core, type Resource } from 'controller-runtime/kubernetes';
import { CronJob } from '../api/v1/cronjob-types.ts';
import { CronJobRun } from '../api/v1/cronjobrun-types.ts';

// The validator checks the schema itself, so that one response has the errors of the schema and of the dry run.
const { schema: _, ...withoutSchema } = CronJob;

export const cronJobs: Resource<CronJob> = withoutSchema;

export const cronJobRuns: Resource<CronJobRun> = CronJobRun;

export const { jobs } = batch.v1;

/** Pods have no cache, because it would store every Pod of the cluster. */
export const { pods } = core.v1;
