import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { cronJobRuns, cronJobs, jobs } from '../../controllers/resources.ts';
import type { Client } from '../../runtime/client/client.ts';

/** Gets each object that a reconcile reads. */
interface ReadObserver {
  cronJob(cronJob: CronJob): void;
  job(job: Job): void;
  request(request: CronJobRun | undefined): void;
}

/** The client of the reconciler, which also reports the objects that each reconcile gets. */
export function observeReads(client: Client, observer: ReadObserver): Client {
  return {
    get: async (resource, key, options) => {
      const object = await client.get(resource, key, options);
      if (object !== undefined && resource.kind === cronJobs.kind) observer.cronJob(object as unknown as CronJob);
      if (object !== undefined && resource.kind === jobs.kind) observer.job(object as unknown as Job);
      if (resource.kind === cronJobRuns.kind) observer.request(object as unknown as CronJobRun | undefined);
      return object;
    },
    list: async (resource, options) => {
      const objects = await client.list(resource, options);
      if (resource.kind === jobs.kind) for (const job of objects) observer.job(job as unknown as Job);
      return objects;
    },
    create: (...call) => client.create(...call),
    update: (...call) => client.update(...call),
    updateStatus: (...call) => client.updateStatus(...call),
    patch: (...call) => client.patch(...call),
    apply: (...call) => client.apply(...call),
    delete: (...call) => client.delete(...call),
    deleteAllOf: (...call) => client.deleteAllOf(...call),
    getSubresource: (...call) => client.getSubresource(...call),
    createSubresource: (...call) => client.createSubresource(...call),
    updateSubresource: (...call) => client.updateSubresource(...call),
  };
}
