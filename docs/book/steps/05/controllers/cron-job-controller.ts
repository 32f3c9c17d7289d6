/** The controller of the kind CronJob: compares the schedule with the Jobs, and starts the run that is due. */
import {
  batch,
  formatApiVersion,
  getControllerReference,
  ignoreNotFound,
  type Job,
  type Manager,
  type ObjectContext,
  type Result,
} from 'controller-runtime';
import { parseSchedule, type Schedule } from 'kubernetes-cron-schedule';
import { CronJob } from '../api/v1/cron-job-types.ts';
import { buildJob, buildStatus, groupJobs, listOldJobs } from './cron-job-jobs.ts';
import { findMissedRun } from './cron-job-schedule.ts';

/** An index of the cache: the Jobs of a CronJob, by the name of their owner. */
const JOB_OWNER_INDEX = 'job-owner';

export function addCronJobController(manager: Manager): void {
  manager.cache.indexField(batch.v1.jobs, JOB_OWNER_INDEX, listOwnerNames);
  manager
    .controller('cron-job')
    .for(CronJob)
    .owns(batch.v1.jobs, { verbs: ['create', 'delete'] })
    .reconcile(reconcileCronJob);
}

function listOwnerNames(job: Job): readonly string[] {
  const owner = getControllerReference(job);
  const isCronJob = owner?.kind === CronJob.kind && owner.apiVersion === formatApiVersion(CronJob);
  return isCronJob ? [owner.name] : [];
}

/** 1: The controller has loaded the CronJob. */
async function reconcileCronJob(cronJob: CronJob, context: ObjectContext<CronJob>): Promise<Result> {
  const { client, log, now, status } = context;
  const { namespace, name } = cronJob.metadata;

  // 2: List the Jobs, and write the status.
  const jobs = groupJobs(
    await client.list(batch.v1.jobs, { namespace, index: { name: JOB_OWNER_INDEX, value: name } }),
  );
  const newStatus = buildStatus(jobs);
  await status(newStatus);

  // 3: Delete old Jobs.
  const { suspend, schedule: expression, successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
  for (const job of listOldJobs(jobs.successful, successfulJobsHistoryLimit)) await deleteJob(job, context);
  for (const job of listOldJobs(jobs.failed, failedJobsHistoryLimit)) await deleteJob(job, context);

  // 4: Start nothing while the CronJob is suspended.
  if (suspend) {
    log.info('the CronJob is suspended');
    return {};
  }

  // 5: Find the run that is due, and the next run.
  const parsed = parseSchedule(expression);
  if (parsed.kind === 'invalid') {
    log.info('the schedule is invalid', { reason: parsed.message });
    return {};
  }
  const run = findMissedRun({ ...cronJob, status: newStatus }, parsed.schedule, now);
  if (run.kind === 'too-many') {
    log.info('the CronJob missed too many scheduled times; set or decrease spec.startingDeadlineSeconds');
    return {};
  }

  // 6: Start the run.
  if (run.kind === 'missed')
    await startRun(cronJob, { scheduledTime: run.scheduledTime, active: jobs.active }, context);

  // 7: Reconcile again at the next scheduled time, or when a Job changes.
  return untilNextRun(parsed.schedule, now);
}

interface Run {
  readonly scheduledTime: Date;
  readonly active: readonly Job[];
}

/** 6: Starts the run if the concurrency policy allows it. */
async function startRun(
  cronJob: CronJob,
  { scheduledTime, active }: Run,
  context: ObjectContext<CronJob>,
): Promise<void> {
  const { client, log, signal } = context;
  const { concurrencyPolicy } = cronJob.spec;
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    log.info('the concurrency policy forbids another run', { active: active.length });
    return;
  }
  if (concurrencyPolicy === 'Replace') for (const job of active) await deleteJob(job, context);
  const job = await client.create(batch.v1.jobs, buildJob(cronJob, scheduledTime), { signal });
  log.info('created the Job', { job: job.metadata.name });
}

/** Kubernetes deletes the Pods of the Job in the background. */
async function deleteJob({ metadata }: Job, { client, log, signal }: ObjectContext<CronJob>): Promise<void> {
  await ignoreNotFound(client.delete(batch.v1.jobs, metadata, { propagationPolicy: 'Background', signal }));
  log.info('deleted the Job', { job: metadata.name });
}

function untilNextRun(schedule: Schedule, now: Date): Result {
  const next = schedule.next(now);
  return next === undefined ? {} : { requeueAfterMs: next.getTime() - now.getTime() };
}
