/** How CronJobs are now, in numbers: the first row of their dashboard. */
import { ALL_NAMESPACES, each, FAILING, LATE, OF_ALL, OVERDUE, orZero, PAUSED, WAITING } from './cronjob-queries.ts';
import type { Row } from './dashboard.ts';
import { number } from './panels.ts';

export const NOW: Row = {
  title: 'Now',
  panels: [
    number({
      title: 'CronJobs',
      description: 'CronJobs in the chosen namespaces that have series of their own.',
      unit: 'short',
      expr: orZero(`count(${each('cronjob_suspended')})`),
    }),
    number({
      title: 'CronJobs left out',
      description:
        'CronJobs of all namespaces that most panels do not show, because there are more than --metrics-max-cronjobs. ' +
        'Overdue and paused CronJobs and waiting Jobs are always shown.',
      unit: 'short',
      isRed: { from: 1 },
      expr: `max(cronjob_metrics_omitted${OF_ALL})`,
    }),
    number({
      title: 'Suspended',
      description:
        'CronJobs whose spec.suspend is true or whose spec.suspendUntil is in the future. They start no runs.',
      unit: 'short',
      expr: orZero(`sum(${each('cronjob_suspended')})`),
    }),
    number({
      title: 'Active Jobs',
      description: 'Jobs of CronJobs that are running now.',
      unit: 'short',
      expr: orZero(`sum(${each('cronjob_active_jobs')})`),
    }),
    number({
      title: 'Leaders',
      description:
        'Managers that hold the lease. With none, no run of any CronJob starts. One for each installation is right; without ' +
        '--leader-elect it is 0.',
      unit: 'short',
      isRed: { below: 1 },
      alerts: ['CronJobControllerDown'],
      expr: orZero(`sum(leader_election_master_status${OF_ALL})`),
    }),
    number({
      title: 'Late by',
      description:
        'How long ago a run was scheduled that the controller has not handled yet. Normally 0 or a second; no value when ' +
        'nothing is scheduled.',
      unit: 's',
      isRed: { from: 120 },
      alerts: ['CronJobControllerLate'],
      expr: LATE,
    }),
    number({
      title: 'Overdue',
      description: 'CronJobs of which no run has succeeded within spec.expectSuccessWithinSeconds.',
      unit: 'short',
      isRed: { from: 1 },
      alerts: ['CronJobOverdue'],
      expr: orZero(`count(${OVERDUE})`),
    }),
    number({
      title: 'Failing',
      description: 'CronJobs whose last finished run has failed. Suspended ones do not count.',
      unit: 'short',
      isRed: { from: 1 },
      alerts: ['CronJobFailing'],
      expr: orZero(`count(${FAILING})`),
    }),
    number({
      title: 'Paused',
      description: 'CronJobs that start no runs, because spec.pauseAfterFailures runs in a row have failed.',
      unit: 'short',
      isRed: { from: 1 },
      alerts: ['CronJobPaused'],
      expr: orZero(`count(${PAUSED})`),
    }),
    number({
      title: 'Waiting',
      description: 'CronJobs with a Job that has waited for a Pod to be ready for a minute or longer.',
      unit: 'short',
      isRed: { from: 1 },
      alerts: ['CronJobStuckStarting'],
      expr: orZero(`count(${WAITING})`),
    }),
    number({
      title: 'Failed runs in the range',
      description: `Runs that failed in the chosen range of time. ${ALL_NAMESPACES}`,
      unit: 'short',
      expr: `sum(increase(cronjob_controller_run_duration_seconds_count{job=~"$job", result="Failed"}[$__range]))`,
    }),
    number({
      title: 'Missed slots in the range',
      description: `Scheduled times in the chosen range whose run should have started and did not. ${ALL_NAMESPACES}`,
      unit: 'short',
      isRed: { from: 1 },
      expr: `sum(increase(cronjob_controller_missed_slots_total${OF_ALL}[$__range]))`,
    }),
  ],
};
