import type { NewJob } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';

/** A write of the manager. */
export type WriteRequest =
  | { readonly kind: 'create'; readonly job: NewJob }
  | { readonly kind: 'updateStatus'; readonly sent: Pick<CronJob, 'metadata' | 'status'> }
  | { readonly kind: 'delete'; readonly name: string; readonly uid: string | undefined; readonly isHistory: boolean };
