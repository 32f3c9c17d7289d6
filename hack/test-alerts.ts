/**
 * `make test-alerts`: the alerts in promtool's unit tests, and alerts and dashboard queries in a real Prometheus that scrapes a real
 * manager. Arguments go to vitest. Prometheus comes from this machine, or from Debian's package, unpacked into the cache folder.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { unpackPackage } from './debian-packages.ts';
import { findFolderWith, runVitest } from './run-vitest.ts';

const PROGRAMS = ['prometheus', 'promtool'];
const CACHE = resolve(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'cronjob-operator/prometheus');

await runVitest('alerts', async () => ({
  PROMETHEUS_FOLDER: findFolderWith(PROGRAMS, CACHE) ?? (await unpackPrometheus()),
}));

async function unpackPrometheus(): Promise<string> {
  try {
    await unpackPackage('prometheus', PROGRAMS, CACHE);
    return CACHE;
  } catch (error) {
    const advice = 'Install them: "apt-get install prometheus", or https://prometheus.io/download/';
    throw new Error(`prometheus and promtool are missing. ${advice}`, { cause: error });
  }
}
