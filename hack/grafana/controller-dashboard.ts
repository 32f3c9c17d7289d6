/** The dashboard on the managers: whether they keep up, and what they cost. */
import { NOW } from './controller-numbers.ts';
import {
  answers,
  eachManager,
  MANAGER,
  OF_CHOSEN,
  QUANTILES,
  quantiles,
  rateOf,
  rateOfEachManager,
} from './controller-queries.ts';
import { type Dashboard, JOB, ofManagers, type Row, type Variable } from './dashboard.ts';
import { bars, lines, states } from './panels.ts';

const LEADER: Row = {
  title: 'Leader and restarts',
  panels: [
    states({
      title: 'Leader',
      description:
        'Which manager holds the lease, and so starts runs. Between two leaders there are some seconds without one, about 20 ' +
        'after a crash.',
      texts: { one: 'leads', zero: 'stands by' },
      alerts: ['CronJobControllerDown'],
      queries: [{ legend: MANAGER, expr: eachManager('leader_election_master_status') }],
    }),
    bars({
      title: 'Restarts',
      description:
        'How often the process of a manager began anew in the same Pod. The Pod says why: kubectl describe pod.',
      unit: 'short',
      alerts: ['CronJobControllerDown'],
      queries: [
        {
          legend: MANAGER,
          expr: `sum by (pod, instance) (changes(process_start_time_seconds{${OF_CHOSEN}}[$__rate_interval]))`,
        },
      ],
    }),
  ],
};

const RECONCILES: Row = {
  title: 'Reconciles',
  panels: [
    lines({
      title: 'Reconciles by result',
      description:
        'Reconciles in a second. requeue_after is the usual result: the next one is at the next scheduled time.',
      unit: 'ops',
      queries: [{ legend: '{{result}}', expr: rateOf('controller_runtime_reconcile_total', 'result') }],
    }),
    lines({
      title: 'Reconcile errors',
      description: 'Reconciles in a second that failed. Terminal errors are not retried. The log says why.',
      unit: 'ops',
      queries: [
        { legend: '{{controller}}', expr: rateOf('controller_runtime_reconcile_errors_total', 'controller') },
        {
          legend: '{{controller}}, terminal',
          expr: rateOf('controller_runtime_terminal_reconcile_errors_total', 'controller'),
        },
      ],
    }),
    lines({
      title: 'Reconcile duration',
      description: `How long a reconcile took, with its requests to the API server. ${QUANTILES}`,
      unit: 's',
      queries: quantiles('controller_runtime_reconcile_time_seconds', 'controller'),
    }),
    lines({
      title: 'Workers',
      description: 'Reconciles that run at the same time, and how many may: --max-concurrent-reconciles.',
      unit: 'short',
      queries: [
        { legend: 'active', expr: `max(controller_runtime_active_workers{${OF_CHOSEN}})` },
        { legend: 'maximum', expr: `max(controller_runtime_max_concurrent_reconciles{${OF_CHOSEN}})` },
      ],
    }),
  ],
};

const QUEUE: Row = {
  title: 'Work queue',
  panels: [
    lines({
      title: 'Depth',
      description: 'Objects that wait for a worker. Normally the queue is empty again within a second or two.',
      unit: 'short',
      width: 8,
      alerts: ['CronJobControllerLate'],
      queries: [{ legend: '{{name}}', expr: `max by (name) (workqueue_depth{${OF_CHOSEN}})` }],
    }),
    lines({
      title: 'Adds and retries',
      description: 'Objects in a second that are added to the queue, and those that are added again after an error.',
      unit: 'ops',
      width: 8,
      queries: [
        { legend: '{{name}}, adds', expr: rateOf('workqueue_adds_total', 'name') },
        { legend: '{{name}}, retries', expr: rateOf('workqueue_retries_total', 'name') },
      ],
    }),
    lines({
      title: 'Stuck workers',
      description:
        'How long the longest reconcile has been running, and all that run together. Steady growth means stuck workers.',
      unit: 's',
      width: 8,
      queries: [
        {
          legend: '{{name}}, longest',
          expr: `max by (name) (workqueue_longest_running_processor_seconds{${OF_CHOSEN}})`,
        },
        { legend: '{{name}}, all', expr: `max by (name) (workqueue_unfinished_work_seconds{${OF_CHOSEN}})` },
      ],
    }),
    lines({
      title: 'Time in the queue',
      description: `How long an object waited before a worker took it. ${QUANTILES}`,
      unit: 's',
      queries: quantiles('workqueue_queue_duration_seconds', 'name'),
    }),
    lines({
      title: 'Time in work',
      description: `How long a worker processed an object. ${QUANTILES}`,
      unit: 's',
      queries: quantiles('workqueue_work_duration_seconds', 'name'),
    }),
  ],
};

const API_SERVER: Row = {
  title: 'API server',
  panels: [
    lines({
      title: 'Requests by method and code',
      description: 'Requests to the API server in a second. Steady watches count when they end.',
      unit: 'reqps',
      queries: [{ legend: '{{method}} {{code}}', expr: rateOf('rest_client_requests_total', 'method, code') }],
    }),
    lines({
      title: 'Requests that failed',
      description:
        'Requests in a second without success. Throttled: the API server has asked to slow down. Forbidden: the manager lacks ' +
        'a right. Conflicts and what is not found are usual, and are retried or ignored.',
      unit: 'reqps',
      queries: [
        { legend: 'no answer', expr: answers('<error>') },
        { legend: 'error of the API server (5xx)', expr: answers('5..') },
        { legend: 'throttled (429)', expr: answers('429') },
        { legend: 'forbidden (401, 403)', expr: answers('401|403') },
        { legend: 'not found or conflict (404, 409)', expr: answers('404|409') },
      ],
    }),
  ],
};

const WEBHOOKS: Row = {
  title: 'Webhooks',
  panels: [
    lines({
      title: 'Admission requests by code',
      description:
        'Requests of the API server in a second, by HTTP status. A CronJob that is refused has the status 200 too.',
      unit: 'reqps',
      width: 8,
      queries: [
        { legend: '{{webhook}} {{code}}', expr: rateOf('controller_runtime_webhook_requests_total', 'webhook, code') },
      ],
    }),
    lines({
      title: 'Admission duration',
      description: `How long an admission request took, with the dry run of the Job. ${QUANTILES}`,
      unit: 's',
      width: 8,
      queries: quantiles('controller_runtime_webhook_latency_seconds', 'webhook'),
    }),
    lines({
      title: 'Admission requests in progress',
      description: 'Admission requests that have no answer yet.',
      unit: 'short',
      width: 8,
      queries: [
        {
          legend: '{{webhook}}',
          expr: `sum by (webhook) (controller_runtime_webhook_requests_in_flight{${OF_CHOSEN}})`,
        },
      ],
    }),
  ],
};

const PROCESS: Row = {
  title: 'Process',
  panels: [
    lines({
      title: 'Memory',
      description:
        'Memory of each manager: all that is resident, which is what the limit of the Pod counts, and its heap.',
      unit: 'bytes',
      queries: [
        { legend: `${MANAGER}, resident`, expr: eachManager('process_resident_memory_bytes') },
        { legend: `${MANAGER}, heap`, expr: eachManager('nodejs_heap_size_used_bytes') },
      ],
    }),
    lines({
      title: 'CPU',
      description: 'Processors that each manager uses. It works on one, and garbage collection on some more.',
      unit: 'short',
      queries: [{ legend: MANAGER, expr: rateOfEachManager('process_cpu_seconds_total') }],
    }),
    lines({
      title: 'Event loop lag',
      description:
        'How late timers are in each manager, 99 of 100 of them. Long lags delay runs and may lose the lease.',
      unit: 's',
      width: 8,
      queries: [{ legend: MANAGER, expr: eachManager('nodejs_eventloop_lag_p99_seconds') }],
    }),
    lines({
      title: 'Garbage collection',
      description:
        'Share of the time that each manager spends on garbage collection. Much of it means too little memory.',
      unit: 'percentunit',
      width: 8,
      queries: [{ legend: MANAGER, expr: rateOfEachManager('nodejs_gc_duration_seconds_sum') }],
    }),
    lines({
      title: 'Open files',
      description: 'Files and connections that each manager has open. Steady growth is a leak.',
      unit: 'short',
      width: 8,
      queries: [{ legend: MANAGER, expr: eachManager('process_open_fds') }],
    }),
  ],
};

/** Where Prometheus does not find the managers by Kubernetes, they have no such label: all of them match. */
const ofKubernetes = (variable: Omit<Variable, 'allValue'>): Variable => ({ ...variable, allValue: '.*' });

export const CONTROLLER_DASHBOARD: Dashboard = {
  uid: 'cronjob-operator-controller',
  title: 'CronJob controller',
  description: 'Whether the managers of the CronJob operator keep up, and what they cost.',
  variables: [
    JOB,
    ofKubernetes({
      name: 'manager_namespace',
      label: 'Namespace of managers',
      query: ofManagers('namespace', '{job=~"$job"}'),
    }),
    ofKubernetes({
      name: 'pod',
      label: 'Pod',
      query: ofManagers('pod', '{job=~"$job", namespace=~"$manager_namespace"}'),
    }),
    {
      name: 'instance',
      label: 'Instance',
      query: ofManagers('instance', '{job=~"$job", namespace=~"$manager_namespace", pod=~"$pod"}'),
    },
  ],
  rows: [NOW, LEADER, RECONCILES, QUEUE, API_SERVER, WEBHOOKS, PROCESS],
};
