/**
 * What the dashboard on CronJobs asks Prometheus. Only the leader shows gauges of CronJobs; `max by` takes the labels of the replicas
 * away, so that a CronJob stays the same one when the leader changes.
 */
const OF_CHOSEN = '{job=~"$job", namespace=~"$namespace"}';
/** Counters know no namespaces of CronJobs. */
export const OF_ALL = '{job=~"$job"}';

export const each = (gauge: string) => `max by (namespace, name) (${gauge}${OF_CHOSEN})`;
/** A time of each CronJob, in milliseconds. */
export const timeOfEach = (gauge: string) => `1000 * ${each(gauge)}`;
/** Prometheus has no value for a sum of nothing. */
export const orZero = (expr: string) => `(${expr}) or vector(0)`;
export const quantile = (share: number, histogram: string, by = 'le') =>
  `histogram_quantile(${share}, sum by (${by}) (rate(${histogram}_bucket${OF_ALL}[$__rate_interval])))`;
export const perStep = (counter: string, by: string) =>
  `sum by (${by}) (increase(${counter}${OF_ALL}[$__rate_interval]))`;

export const FAILURE = each('cronjob_last_failure_timestamp_seconds');
export const SUCCESS = each('cronjob_last_success_timestamp_seconds');
export const OVERDUE = `${each('cronjob_overdue')} == 1`;
export const PAUSED = `${each('cronjob_paused')} == 1`;
/** As the alert CronJobFailing has it. */
export const FAILING = `${FAILURE} > (${SUCCESS} or 0 * ${FAILURE}) unless ${each('cronjob_suspended')} == 1`;
export const WAITING = `time() - min by (namespace, name) (cronjob_waiting_job_start_timestamp_seconds${OF_CHOSEN})`;
export const LATE = `clamp_min(time() - min(cronjob_earliest_next_schedule_timestamp_seconds${OF_ALL}), 0)`;
export const STARTS_IN = `${each('cronjob_next_schedule_timestamp_seconds')} - time()`;

/** A time of those for which `condition` has a value, or 0. */
export const timeWhere = (time: string, condition: string) =>
  `(1000 * ${time} or 0 * (${condition})) and (${condition})`;

export const ALL_NAMESPACES = 'Of all namespaces: the counters of runs have no label for the namespace of a CronJob.';
export const NO_TIME = '– means never, or that --metrics-max-cronjobs leaves out the series.';
