import type { NewJob } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import type { buildEndJobPatch } from '../../controllers/cronjob/start-timeout.ts';

/** A write of the manager. */
export type WriteRequest =
  | { readonly kind: 'create'; readonly job: NewJob }
  | { readonly kind: 'updateStatus'; readonly sent: Pick<CronJob, 'metadata' | 'status'> }
  | { readonly kind: 'updateRequestStatus'; readonly sent: Pick<CronJobRun, 'metadata' | 'status'> }
  | { readonly kind: 'delete'; readonly name: string; readonly uid: string | undefined; readonly isHistory: boolean }
  | { readonly kind: 'end'; readonly name: string; readonly patch: EndJobPatch };

/** Ends a Job that has not started in time. */
export type EndJobPatch = ReturnType<typeof buildEndJobPatch>;
