/** How the managers are now, in numbers: the first row of their dashboard. */
import { OF_CHOSEN } from './controller-queries.ts';
import type { Row } from './dashboard.ts';
import { number } from './panels.ts';

export const NOW: Row = {
  title: 'Now',
  panels: [
    number({
      title: 'Leaders',
      description:
        'Managers that hold the lease. With none, no run of any CronJob starts. One for each installation is right; without ' +
        '--leader-elect it is 0.',
      unit: 'short',
      isRed: { below: 1 },
      alerts: ['CronJobControllerDown'],
      expr: `(sum(leader_election_master_status{${OF_CHOSEN}})) or vector(0)`,
    }),
    number({
      title: 'Managers',
      description: 'Managers that Prometheus scrapes. Manifests and chart install two for each installation.',
      unit: 'short',
      isRed: { below: 1 },
      alerts: ['CronJobControllerDown'],
      expr: `(count(process_start_time_seconds{${OF_CHOSEN}})) or vector(0)`,
    }),
    number({
      title: 'Restarts in the range',
      description:
        'How often the process of a manager began anew in the chosen range of time, in the same Pod. New Pods do not count.',
      unit: 'short',
      isRed: { from: 1 },
      expr: `sum(changes(process_start_time_seconds{${OF_CHOSEN}}[$__range]))`,
    }),
    number({
      title: 'Reconcile errors in the range',
      description: 'Reconciles that failed in the chosen range of time. They are retried with back-off.',
      unit: 'short',
      expr: `sum(increase(controller_runtime_reconcile_errors_total{${OF_CHOSEN}}[$__range]))`,
    }),
    number({
      title: 'Queue',
      description: 'CronJobs that wait for a worker. Normally the queue is empty again within a second or two.',
      unit: 'short',
      isRed: { from: 100 },
      alerts: ['CronJobControllerLate'],
      expr: `sum(workqueue_depth{${OF_CHOSEN}})`,
    }),
    number({
      title: 'Late by',
      description:
        'How long ago a run was scheduled that the controller has not handled yet. Normally 0 or a second; no value when ' +
        'nothing is scheduled.',
      unit: 's',
      isRed: { from: 120 },
      alerts: ['CronJobControllerLate'],
      expr: `clamp_min(time() - min(cronjob_earliest_next_schedule_timestamp_seconds{${OF_CHOSEN}}), 0)`,
    }),
  ],
};
