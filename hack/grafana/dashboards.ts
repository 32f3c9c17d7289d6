/** The dashboards that come with the operator, by the names of their files in `grafana/` and in the chart. */
import { CONTROLLER_DASHBOARD } from './controller-dashboard.ts';
import { CRON_JOBS_DASHBOARD } from './cronjobs-dashboard.ts';
import type { Dashboard } from './dashboard.ts';

/** The second name is that of kubebuilder's dashboard on the same metrics. */
export const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  'cronjobs.json': CRON_JOBS_DASHBOARD,
  'controller-runtime-metrics.json': CONTROLLER_DASHBOARD,
};
