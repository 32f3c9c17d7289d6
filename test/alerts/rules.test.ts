/** Each alert fires, does not fire, and resolves, in promtool's unit tests. The rules are those of config/prometheus. */
import { describe, expect, test } from 'vitest';
import { ALERTS } from '../../hack/alerts/alerts.ts';
import { checkRules, type ExpectedAlert, type RulesCase, testRules } from './support/promtool.ts';

/** A series of the CronJob `hello`, from one replica or the other. */
const gauge = (name: string, pod = 'a') => `${name}{namespace="default",name="hello",pod="${pod}"}`;
const overdue = (pod?: string) => gauge('cronjob_overdue', pod);
const failure = gauge('cronjob_last_failure_timestamp_seconds');
const success = gauge('cronjob_last_success_timestamp_seconds');
const suspended = gauge('cronjob_suspended');
const waiting = gauge('cronjob_waiting_job_start_timestamp_seconds');
const timeouts = (pod = 'a') => `cronjob_controller_start_timeouts_total{pod="${pod}"}`;
const earliest = 'cronjob_earliest_next_schedule_timestamp_seconds{pod="a"}';
const LEASE = 'cronjob-controller.batch.tutorial.kubebuilder.io';
const leading = (pod: string, namespace = 'ops') =>
  `leader_election_master_status{name="${LEASE}",namespace="${namespace}",pod="${pod}"}`;

const createHelloAlert = (summary: string, description: string): ExpectedAlert => ({
  labels: { severity: 'warning', namespace: 'default', name: 'hello' },
  summary,
  description,
});
const OVERDUE = createHelloAlert(
  'CronJob default/hello is overdue.',
  'No run has succeeded within spec.expectSuccessWithinSeconds. The condition Overdue shows since when.',
);
const FAILING = createHelloAlert(
  'CronJob default/hello is failing.',
  'A run failed at 1970-01-01 00:01:00 +0000 UTC, and no run has succeeded since.',
);
const PAUSED = createHelloAlert(
  'CronJob default/hello is paused after failures.',
  'The number of failed runs in a row has reached spec.pauseAfterFailures. No run of the schedule starts until you resume ' +
    'the CronJob.',
);
const stuckFor = (duration: string) =>
  createHelloAlert(
    'A Job of CronJob default/hello does not start.',
    `The Job has waited for a ready Pod for ${duration}. With concurrencyPolicy Forbid, no other run starts.`,
  );
const TIMED_OUT: ExpectedAlert = {
  labels: { severity: 'warning' },
  summary: 'Jobs do not start in time.',
  description:
    'The controller failed Jobs because no container started within spec.startTimeoutSeconds. Events with the reason ' +
    'StartTimeout name the CronJobs.',
};
const lateBy = (duration: string): ExpectedAlert => ({
  labels: { severity: 'warning' },
  summary: 'The CronJob controller is late.',
  description: `A run was scheduled ${duration} ago, and the controller has not handled it yet.`,
});
const down = (labels: Readonly<Record<string, string>> = {}): ExpectedAlert => ({
  labels: { severity: 'critical', ...labels },
  summary: 'The CronJob controller is down.',
  description:
    'No manager holds the lease, or Prometheus reaches no manager. Without a leader, no run of any CronJob starts.',
});

const CASES: Readonly<Record<string, Readonly<Record<string, Omit<RulesCase, 'alert'>>>>> = {
  CronJobOverdue: {
    'fires a minute after the condition became True': {
      series: { [overdue()]: '0 1x10' },
      want: { '1m': [], '2m': [OVERDUE], '10m': [OVERDUE] },
    },
    'does not fire for a CronJob that is not overdue, or has no such field': {
      series: { [overdue()]: '0x10', [suspended]: '0x10' },
      want: { '10m': [] },
    },
    'resolves when the condition becomes False': {
      series: { [overdue()]: '1x5 0x5' },
      want: { '5m': [OVERDUE], '6m': [] },
    },
    'continues to fire through a change of the leader, and three minutes without one': {
      series: { [overdue('a')]: '1x5 stale', [overdue('b')]: '_x8 1x10' },
      want: { '5m': [OVERDUE], '6m': [OVERDUE], '7m': [OVERDUE], '8m': [OVERDUE], '9m': [OVERDUE], '18m': [OVERDUE] },
    },
    'is one alert while two replicas show it': {
      series: { [overdue('a')]: '1x5', [overdue('b')]: '1x5' },
      want: { '5m': [OVERDUE] },
    },
    'resolves within five minutes when the next leader has another value': {
      series: { [overdue('a')]: '1x5 stale', [overdue('b')]: '_x6 0x10' },
      want: { '5m': [OVERDUE], '11m': [] },
    },
    'resolves when the CronJob is deleted, within five minutes': {
      series: { [overdue()]: '1x5 stale' },
      want: { '5m': [OVERDUE], '11m': [] },
    },
  },
  CronJobFailing: {
    'fires when no run has ever succeeded, after ten minutes': {
      series: { [failure]: '_ 60x20', [suspended]: '0x20' },
      want: { '10m': [], '11m': [FAILING] },
    },
    'fires when the last failure is newer than the last success': {
      series: { [failure]: '_ 60x20', [success]: '30x20', [suspended]: '0x20' },
      want: { '11m': [FAILING] },
    },
    'does not fire when the last success is newer, or at the same time': {
      series: { [failure]: '60x20', [success]: '60x20' },
      want: { '20m': [] },
    },
    'does not fire when a run fails now and then, and the next one succeeds': {
      series: { [failure]: '60x8 540x20', [success]: '0x3 300x10 900x20' },
      want: { '3m': [], '8m': [], '12m': [], '20m': [] },
    },
    'does not fire while the CronJob is suspended': {
      series: { [failure]: '60x20', [suspended]: '1x20' },
      want: { '20m': [] },
    },
    'resolves when a run succeeds': {
      series: { [failure]: '60x20', [success]: '30x15 960x5', [suspended]: '0x20' },
      want: { '15m': [FAILING], '16m': [] },
    },
  },
  CronJobPaused: {
    'fires at once': { series: { [gauge('cronjob_paused')]: '0 1x5' }, want: { '0m': [], '1m': [PAUSED] } },
    'does not fire for a CronJob that is not paused': {
      series: { [gauge('cronjob_paused')]: '0x5' },
      want: { '5m': [] },
    },
    'resolves when it is resumed': {
      series: { [gauge('cronjob_paused')]: '1x5 0x5' },
      want: { '5m': [PAUSED], '6m': [] },
    },
  },
  CronJobStuckStarting: {
    'fires when a Job has waited for a quarter of an hour': {
      series: { [waiting]: '_ 0x30' },
      want: { '15m': [], '16m': [stuckFor('16m 0s')] },
    },
    'does not fire when each Job waits for some minutes': {
      series: { [waiting]: '0x8 480x8 960x8' },
      want: { '8m': [], '16m': [], '24m': [] },
    },
    'does not fire when a Pod of a long Job is not ready for a moment': {
      series: { [waiting]: '_x30 0x2 stale' },
      want: { '31m': [], '32m': [], '36m': [] },
    },
    'resolves when a Pod is ready': {
      series: { [waiting]: '0x20 stale' },
      want: { '20m': [stuckFor('20m 0s')], '21m': [] },
    },
    'fires when starts time out, and resolves half an hour after the last': {
      series: { [timeouts()]: '0x5 1x60' },
      want: { '5m': [], '12m': [TIMED_OUT], '30m': [TIMED_OUT], '40m': [] },
    },
    'does not fire when managers restart, whose counters begin at 0': {
      series: { [timeouts('a')]: '3x40 stale', [timeouts('b')]: '_x40 0x20' },
      want: { '39m': [], '50m': [] },
    },
  },
  CronJobControllerLate: {
    'fires when a run has been due for two minutes, for five minutes': {
      series: { [earliest]: '60x20' },
      want: { '8m': [], '9m': [lateBy('8m 0s')] },
    },
    'fires when it is always three minutes late, each time with another run': {
      series: { [earliest]: '_ _ _ 0+60x20' },
      want: { '7m': [], '8m': [lateBy('3m 0s')], '20m': [lateBy('3m 0s')] },
    },
    'does not fire when it is always a minute late': {
      series: { [earliest]: '_ 0+60x20' },
      want: { '20m': [] },
    },
    'does not fire for a burst that takes four minutes': {
      series: { [earliest]: '600x14 1200x10' },
      want: { '14m': [], '20m': [] },
    },
    'does not fire without CronJobs': { series: { 'cronjob_metrics_omitted{pod="a"}': '0x20' }, want: { '20m': [] } },
    'resolves when the controller has caught up': {
      series: { [earliest]: '60x14 1200x5' },
      want: { '14m': [lateBy('13m 0s')], '15m': [] },
    },
  },
  CronJobControllerDown: {
    'fires when no manager is scraped': { series: { up: '1x10' }, want: { '2m': [], '3m': [down()] } },
    'fires when all managers are on standby': {
      series: { [leading('a')]: '0x10', [leading('b')]: '0x10' },
      want: { '3m': [down()] },
    },
    'fires when managers restart and none leads': {
      series: { [leading('a')]: '0 stale stale 0 stale stale', [leading('b')]: 'stale stale 0 stale stale 0' },
      want: { '3m': [down()], '5m': [down()] },
    },
    'does not fire while one manager leads': {
      series: { [leading('a')]: '1x10', [leading('b')]: '0x10' },
      want: { '10m': [] },
    },
    'does not fire when the leader changes within two minutes': {
      series: { [leading('a')]: '1x5 stale', [leading('b')]: '0x7 1x10' },
      want: { '6m': [], '7m': [], '10m': [] },
    },
    'fires for an installation without a leader while another one has a leader': {
      series: { [leading('a', 'ops')]: '0x10', [leading('a', 'other')]: '1x10' },
      want: { '3m': [down({ namespace: 'ops' })] },
    },
    'resolves when a manager leads': {
      series: { [leading('a')]: '0x5 1x5' },
      want: { '5m': [down()], '6m': [] },
    },
  },
};

describe.each(Object.keys(CASES))('%s', (alert) => {
  test.each(Object.entries(CASES[alert] ?? {}))('%s', async (_, { series, want }) => {
    await testRules({ alert, series, want });
  });
});

test('a wrong expectation fails', async () => {
  const wrongAlert = { alert: 'CronJobPaused', series: { [gauge('cronjob_paused')]: '1x5' }, want: { '5m': [] } };
  await expect(testRules(wrongAlert)).rejects.toThrow('FAILED');
});

test('promtool finds no problem in the rules', async () => {
  expect(await checkRules()).toContain('SUCCESS');
});

test('every alert has a test', () => {
  expect(ALERTS.map(({ alert }) => alert)).toEqual(Object.keys(CASES));
});
