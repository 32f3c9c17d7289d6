/** The dashboard on what CronJobs do. */
import { NOW } from './cronjob-numbers.ts';
import {
  ALL_NAMESPACES,
  each,
  FAILING,
  FAILURE,
  LATE,
  NO_TIME,
  OF_ALL,
  OVERDUE,
  orZero,
  PAUSED,
  perStep,
  quantile,
  STARTS_IN,
  SUCCESS,
  timeOfEach,
  timeWhere,
  WAITING,
} from './cronjob-queries.ts';
import { type Dashboard, JOB, type Row } from './dashboard.ts';
import { bars, lines, numbers, TIME, table } from './panels.ts';

const ATTENTION: Row = {
  title: 'CronJobs that need attention',
  panels: [
    table({
      title: 'Overdue CronJobs',
      description: `CronJobs of which no run has succeeded within spec.expectSuccessWithinSeconds. ${NO_TIME}`,
      alerts: ['CronJobOverdue'],
      columns: [{ legend: 'Last success', unit: TIME, expr: timeWhere(SUCCESS, OVERDUE) }],
      sortBy: { column: 'Last success', isDescending: false },
    }),
    table({
      title: 'Paused CronJobs',
      description:
        'CronJobs that start no runs, because spec.pauseAfterFailures runs in a row have failed. They go on when somebody ' +
        `resumes them, a manual run succeeds, or their spec changes. ${NO_TIME}`,
      alerts: ['CronJobPaused'],
      columns: [{ legend: 'Last failure', unit: TIME, expr: timeWhere(FAILURE, PAUSED) }],
      sortBy: { column: 'Last failure', isDescending: true },
    }),
    table({
      title: 'Failing CronJobs',
      description: `CronJobs whose last finished run has failed, unless they are suspended. ${NO_TIME}`,
      alerts: ['CronJobFailing'],
      columns: [
        { legend: 'Last failure', unit: TIME, expr: `1000 * (${FAILING})` },
        { legend: 'Last success', unit: TIME, expr: timeWhere(SUCCESS, FAILING) },
      ],
      sortBy: { column: 'Last failure', isDescending: true },
    }),
    table({
      title: 'Waiting Jobs',
      description:
        'CronJobs with a Job of which no Pod is ready, and how long the longest has waited. Jobs that wait for less than a ' +
        'minute are not shown. The alert fires after ten minutes.',
      alerts: ['CronJobStuckStarting'],
      columns: [{ legend: 'Waits for', unit: 's', expr: WAITING }],
      sortBy: { column: 'Waits for', isDescending: true },
    }),
  ],
};

const COMING: Row = {
  title: 'Coming starts',
  panels: [
    numbers({
      title: 'Starts within',
      description: 'CronJobs whose next run is scheduled within this time, or is late.',
      unit: 'short',
      queries: [
        ['a minute', 60],
        ['10 minutes', 600],
        ['an hour', 3600],
        ['a day', 86_400],
      ].map(([legend, seconds]) => ({ legend: String(legend), expr: orZero(`count(${STARTS_IN} <= ${seconds})`) })),
    }),
    table({
      title: 'Next starts',
      description: 'The 20 CronJobs that start next. One whose time has passed is late.',
      columns: [
        {
          legend: 'Next start',
          unit: TIME,
          expr: `bottomk(20, ${timeOfEach('cronjob_next_schedule_timestamp_seconds')})`,
        },
      ],
      sortBy: { column: 'Next start', isDescending: false },
      width: 9,
    }),
    lines({
      title: 'Lateness',
      description:
        'How long ago a run was scheduled that the controller has not handled yet, of all namespaces. It is 0 while the ' +
        'controller keeps up. It rises while the controller is late, or holds the lease and does nothing.',
      unit: 's',
      width: 9,
      alerts: ['CronJobControllerLate'],
      queries: [{ legend: 'late by', expr: LATE }],
    }),
  ],
};

const SKEW = 'cronjob_controller_job_creation_skew_duration_seconds';
const DURATION = 'cronjob_controller_run_duration_seconds';

const RUNS: Row = {
  title: 'Runs of all namespaces',
  panels: [
    bars({
      title: 'Finished runs by result',
      description: `Runs that finished in each step of time. ${ALL_NAMESPACES}`,
      unit: 'short',
      queries: [{ legend: '{{result}}', expr: perStep(`${DURATION}_count`, 'result') }],
    }),
    lines({
      title: 'Duration of runs',
      description: `From the start of a Job until it finished: the median, and what 99 of 100 runs stay below. ${ALL_NAMESPACES}`,
      unit: 's',
      queries: [
        { legend: '{{result}}, p50', expr: quantile(0.5, DURATION, 'le, result') },
        { legend: '{{result}}, p99', expr: quantile(0.99, DURATION, 'le, result') },
      ],
    }),
    lines({
      title: 'Skew of Job creation',
      description:
        'From the scheduled time of a run until its Job was created: the median, and what 99 of 100 runs stay below. It ' +
        `includes waits under Forbid. ${ALL_NAMESPACES}`,
      unit: 's',
      queries: [
        { legend: 'p50', expr: quantile(0.5, SKEW) },
        { legend: 'p99', expr: quantile(0.99, SKEW) },
      ],
    }),
    bars({
      title: 'Start timeouts',
      description:
        'Jobs that were ended because no container of them had started within spec.startTimeoutSeconds. Events with the ' +
        `reason StartTimeout name them. ${ALL_NAMESPACES}`,
      unit: 'short',
      alerts: ['CronJobStuckStarting'],
      queries: [
        {
          legend: 'start timeouts',
          expr: `sum(increase(cronjob_controller_start_timeouts_total${OF_ALL}[$__rate_interval]))`,
        },
      ],
    }),
    bars({
      title: 'Skipped slots by reason',
      description: `Scheduled times whose run was prevented from starting. status.recentSkips of a CronJob lists its own. ${ALL_NAMESPACES}`,
      unit: 'short',
      queries: [{ legend: '{{reason}}', expr: perStep('cronjob_controller_skipped_slots_total', 'reason') }],
    }),
    bars({
      title: 'Missed slots by reason',
      description:
        'Scheduled times whose run should have started and did not: its deadline passed, or a newer run took its place. ' +
        `status.recentSkips of a CronJob lists its own. ${ALL_NAMESPACES}`,
      unit: 'short',
      queries: [{ legend: '{{reason}}', expr: perStep('cronjob_controller_missed_slots_total', 'reason') }],
    }),
  ],
};

const ALL: Row = {
  title: 'All CronJobs',
  panels: [
    table({
      title: 'CronJobs',
      description: 'Each CronJob with its times. Overdue and Paused are empty where the spec does not ask for them.',
      columns: [
        { legend: 'Suspended', unit: 'bool_yes_no', expr: each('cronjob_suspended') },
        { legend: 'Active Jobs', unit: 'short', expr: each('cronjob_active_jobs') },
        { legend: 'Next start', unit: TIME, expr: timeOfEach('cronjob_next_schedule_timestamp_seconds') },
        { legend: 'Last start', unit: TIME, expr: timeOfEach('cronjob_last_schedule_timestamp_seconds') },
        { legend: 'Last success', unit: TIME, expr: timeOfEach('cronjob_last_success_timestamp_seconds') },
        { legend: 'Last failure', unit: TIME, expr: timeOfEach('cronjob_last_failure_timestamp_seconds') },
        { legend: 'Overdue', unit: 'bool_yes_no', expr: each('cronjob_overdue') },
        { legend: 'Paused', unit: 'bool_yes_no', expr: each('cronjob_paused') },
      ],
      sortBy: { column: 'Next start', isDescending: false },
      width: 24,
      height: 12,
    }),
  ],
};

export const CRON_JOBS_DASHBOARD: Dashboard = {
  uid: 'cronjob-operator',
  title: 'CronJobs',
  description: 'What the CronJobs do, and which of them need attention.',
  variables: [
    JOB,
    {
      name: 'namespace',
      label: 'Namespace of CronJobs',
      query: 'label_values(cronjob_suspended{job=~"$job"}, namespace)',
      // Also of the CronJobs that --metrics-max-cronjobs leaves out.
      allValue: '.*',
    },
  ],
  rows: [NOW, ATTENTION, COMING, RUNS, ALL],
};
