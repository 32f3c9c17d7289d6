/**
 * The alerts that come with the operator: the one source of config/prometheus/rules.yaml, the chart's rules and docs/metrics.md.
 *
 * Only the leader shows gauges of CronJobs. So each expression takes the maximum over the replicas, which also drops their labels:
 * an alert outlives a change of the leader. Between two leaders nobody shows the gauges; `last_over_time` bridges that.
 */
import { FLAGS } from '../../cmd/flags.ts';

export interface Alert {
  readonly name: string;
  /** How long `expr` must hold, as Prometheus writes it. */
  readonly holdsFor: string;
  /** `critical`: no run starts. */
  readonly severity: 'critical' | 'warning';
  /** What it tells, as Markdown. */
  readonly meaning: string;
  /** PromQL. */
  readonly expr: string;
  /** Annotations, one line each, as Prometheus' templates. */
  readonly summary: string;
  readonly description: string;
}

/** The value of a gauge for each CronJob, from whichever replica leads. */
const ofCronJob = (gauge: string) => `max by (namespace, name) (last_over_time(${gauge}[5m]))`;

const LEADING = `leader_election_master_status{name="${FLAGS.leaderElectionId.default}"}`;
const CRON_JOB = '{{ $labels.namespace }}/{{ $labels.name }}';

export const ALERTS: readonly Alert[] = [
  {
    name: 'CronJobOverdue',
    holdsFor: '1m',
    severity: 'warning',
    meaning: 'no run of a CronJob has succeeded within its `spec.expectSuccessWithinSeconds`.',
    expr: `${ofCronJob('cronjob_overdue')} == 1`,
    summary: `CronJob ${CRON_JOB} is overdue.`,
    description: 'No run has succeeded within spec.expectSuccessWithinSeconds. Its condition Overdue says since when.',
  },
  {
    name: 'CronJobFailing',
    holdsFor: '10m',
    severity: 'warning',
    meaning:
      'the last run of a CronJob that finished has failed. It needs no field. Not while the CronJob is suspended.',
    expr:
      `${ofCronJob('cronjob_last_failure_timestamp_seconds')} > (\n` +
      `    ${ofCronJob('cronjob_last_success_timestamp_seconds')}\n` +
      `  or\n` +
      `    0 * ${ofCronJob('cronjob_last_failure_timestamp_seconds')}\n` +
      `)\n` +
      `unless ${ofCronJob('cronjob_suspended')} == 1`,
    summary: `CronJob ${CRON_JOB} is failing.`,
    description: 'A run failed at {{ $value | humanizeTimestamp }}, and none has succeeded since.',
  },
  {
    name: 'CronJobPaused',
    holdsFor: '0m',
    severity: 'warning',
    meaning: 'a CronJob is paused, because `spec.pauseAfterFailures` runs in a row failed.',
    expr: `${ofCronJob('cronjob_paused')} == 1`,
    summary: `CronJob ${CRON_JOB} is paused after failures.`,
    description:
      'As many runs in a row have failed as spec.pauseAfterFailures says. No run starts until it is resumed.',
  },
  {
    name: 'CronJobStuckStarting',
    holdsFor: '5m',
    severity: 'warning',
    meaning:
      'a Job has waited for ten minutes for a Pod to be ready; or, where CronJobs have `spec.startTimeoutSeconds`, Jobs were ' +
      'failed in the last half hour because no container had started.',
    // Not over time, as above: a Job whose Pod is not ready for a moment would seem to wait for five minutes.
    expr:
      'time() - min by (namespace, name) (cronjob_waiting_job_start_timestamp_seconds) > 600\n' +
      'or\n' +
      'sum(increase(cronjob_controller_start_timeouts_total[30m])) > 0',
    summary: `{{ if $labels.name }}A Job of CronJob ${CRON_JOB} does not start.{{ else }}Jobs do not start in time.{{ end }}`,
    description:
      '{{ if $labels.name }}It has waited for {{ $value | humanizeDuration }} for a Pod to be ready. Under Forbid no other ' +
      'run starts meanwhile.{{ else }}No container of theirs had started within spec.startTimeoutSeconds, so they were ' +
      'failed. Events with the reason StartTimeout name them.{{ end }}',
  },
  {
    name: 'CronJobControllerLate',
    holdsFor: '5m',
    severity: 'warning',
    meaning:
      'the scheduled time of a run passed more than two minutes ago, and the controller has not looked at it. Not by ' +
      'the skew of creations: it includes waits under Forbid, and there is none while nothing is created.',
    expr: 'time() - max(last_over_time(cronjob_earliest_next_schedule_timestamp_seconds[5m])) > 120',
    summary: 'The CronJob controller is late.',
    description: 'A run was scheduled {{ $value | humanizeDuration }} ago, and the controller has not handled it yet.',
  },
  {
    name: 'CronJobControllerDown',
    holdsFor: '3m',
    severity: 'critical',
    meaning:
      'no manager holds the lease, or none is scraped. No run starts. Where several installations are scraped: one of them ' +
      `has managers and no leader. Use only with \`--${FLAGS.isLeaderElected.name}\`, which manifests and chart set.`,
    expr: `absent(${LEADING} == 1)\nor on ()\nmax by (namespace) (${LEADING}) == 0`,
    summary: 'No CronJob controller leads.',
    description:
      'No manager holds the lease, or Prometheus reaches none. While none leads, no run of any CronJob starts.',
  },
];

/** More of them, for docs/metrics.md alone. Their numbers are a start. */
export const FURTHER_ALERTS: readonly Pick<Alert, 'name' | 'holdsFor' | 'meaning' | 'expr'>[] = [
  {
    name: 'CronJobWithoutSuccess',
    holdsFor: '1h',
    meaning:
      'a CronJob that is not suspended had no successful run in the last 6 hours, or never. Replace 6 by more hours than ' +
      'there are between two runs. A new CronJob has one hour for its first success. For CronJobs to which you cannot give ' +
      '`spec.expectSuccessWithinSeconds`.',
    expr:
      'cronjob_suspended == 0\n' +
      '  unless on (namespace, name) time() - cronjob_last_success_timestamp_seconds < 6 * 3600',
  },
  {
    name: 'CronJobSlotsMissed',
    holdsFor: '0m',
    meaning: 'runs were missed: they did not start, and will not.',
    expr: 'sum by (reason) (increase(cronjob_controller_missed_slots_total[1h])) > 0',
  },
  {
    name: 'CronJobQueueGrows',
    holdsFor: '10m',
    meaning: 'CronJobs wait to be reconciled. Normally the queue is empty again within a second or two.',
    expr: 'max by (controller) (workqueue_depth) > 100',
  },
];
