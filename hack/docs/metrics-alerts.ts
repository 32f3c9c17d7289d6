/** Alerts worth having, for docs/metrics.md. Their numbers are a start. */
import { FLAGS } from '../../cmd/flags.ts';

export interface Alert {
  readonly name: string;
  /** How long `expr` must hold, as Prometheus writes it. */
  readonly holdsFor: string;
  /** What it tells, as Markdown. */
  readonly meaning: string;
  /** PromQL. */
  readonly expr: string;
}

export const ALERTS: readonly Alert[] = [
  {
    name: 'CronJobWithoutSuccess',
    holdsFor: '1h',
    meaning:
      'a CronJob that is not suspended had no successful run in the last 6 hours, or never. Replace 6 by more hours than ' +
      'there are between two runs. A new CronJob has one hour for its first success.',
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
  {
    name: 'CronJobManagerNotLeading',
    holdsFor: '2m',
    meaning: `no manager holds the lease, or none is scraped. Without a leader no run starts. Use only with \`--${FLAGS.isLeaderElected.name}\`.`,
    expr: `absent(leader_election_master_status{name="${FLAGS.leaderElectionId.default}"} == 1)`,
  },
];
