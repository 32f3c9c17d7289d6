/**
 * `make test-alerts`: the alerts in promtool's unit tests, and alerts and queries of the dashboards in a real Prometheus that scrapes a
 * real manager. Arguments go to vitest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { providePrometheus } from './alerts/provide-prometheus.ts';
import { Progress } from './control-plane/progress.ts';

try {
  const folder = await providePrometheus({ env: process.env, progress: new Progress() });
  const vitest = spawn('vitest', ['run', '--project', 'alerts', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, PROMETHEUS_FOLDER: folder },
  });
  const [code] = await once(vitest, 'exit');
  process.exitCode = code ?? 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof Error && error.cause instanceof Error) console.error(`  ${error.cause.message.split('\n')[0]}`);
  process.exitCode = 1;
}
