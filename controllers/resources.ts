/** The kinds that the controller works with. */
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { GROUP, KIND, PLURAL, VERSION } from '../api/v1/groupversion.ts';
import { batch } from '../runtime/kubernetes/batch.ts';
import type { Resource } from '../runtime/kubernetes/resource.ts';

export const cronJobs: Resource<CronJob> = {
  group: GROUP,
  version: VERSION,
  kind: KIND,
  plural: PLURAL,
  namespaced: true,
  isCustomResource: true,
};

export const { jobs } = batch.v1;
