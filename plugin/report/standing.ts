/** How a CronJob stands: the one word that a list shows, the worst that holds. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../api/v1/cronjob-types.ts';

/** From the worst to the best: the order of a list. */
export const STANDINGS = [
  'Invalid',
  'Blocked',
  'Overdue',
  'Paused',
  'Failed',
  'Unobserved',
  'Degraded',
  'Suspended',
  'Running',
  'OK',
] as const;

/**
 * `Invalid`: the schedule cannot be read, or never fires. `Blocked`: the Job of a run cannot be created. `Unobserved`: no status, so no
 * controller has seen it.
 */
export type Standing = (typeof STANDINGS)[number];

/** Reasons of the condition Degraded that are a standing of their own. */
const OF_DEGRADED: ReadonlyMap<string, Standing> = new Map([
  ['UnparseableSchedule', 'Invalid'],
  ['UnknownTimeZone', 'Invalid'],
  ['NeverFires', 'Invalid'],
  ['FailedCreate', 'Blocked'],
  ['LastRunFailed', 'Failed'],
]);

export function standingOf({ status }: Pick<CronJob, 'status'>): Standing {
  if (status?.conditions === undefined) return 'Unobserved';
  const { conditions } = status;
  const isTrue = (type: string) => getCondition(conditions, type)?.status === 'True';
  const degraded = isTrue('Degraded') ? getCondition(conditions, 'Degraded')?.reason : undefined;
  const found: readonly (Standing | undefined)[] = [
    degraded === undefined ? undefined : (OF_DEGRADED.get(degraded) ?? 'Degraded'),
    isTrue('Overdue') ? 'Overdue' : undefined,
    status.paused ? 'Paused' : undefined,
    getCondition(conditions, 'Available')?.reason === 'Suspended' ? 'Suspended' : undefined,
    (status.activeCount ?? 0) > 0 ? 'Running' : undefined,
    'OK',
  ];
  return STANDINGS.find((standing) => found.includes(standing)) ?? 'OK';
}

/** The worst first, then by namespace and name. */
export function byStanding(left: CronJob, right: CronJob): number {
  const rank = (cronJob: CronJob) => STANDINGS.indexOf(standingOf(cronJob));
  const text = ({ metadata }: CronJob) => `${metadata.namespace}/${metadata.name}`;
  return rank(left) - rank(right) || (text(left) < text(right) ? -1 : 1);
}
