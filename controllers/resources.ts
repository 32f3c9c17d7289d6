/** The kinds that the controller works with. */
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { GROUP, KIND, PLURAL, VERSION } from '../api/v1/groupversion.ts';
import type { Resource } from '../runtime/client/object.ts';

export const cronJobs: Resource<CronJob> = {
  group: GROUP,
  version: VERSION,
  kind: KIND,
  plural: PLURAL,
  namespaced: true,
};

export const jobs: Resource<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
