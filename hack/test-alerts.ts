/**
 * `make test-alerts`: tests the alerts with promtool, and the alerts and dashboard queries with a Prometheus that scrapes a manager. Passes
 * its arguments to vitest. Uses the Prometheus of this machine, or unpacks Debian's package into the cache folder.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { unpackPackage } from './debian-packages.ts';
import { findFolderWith, runVitest } from './run-vitest.ts';

const PROMETHEUS_PROGRAMS = ['prometheus', 'promtool'];
const CACHE_FOLDER = resolve(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'cronjob-operator/prometheus');

await runVitest('alerts', async () => ({
  PROMETHEUS_FOLDER: findFolderWith(PROMETHEUS_PROGRAMS, CACHE_FOLDER) ?? (await unpackPrometheus()),
}));

async function unpackPrometheus(): Promise<string> {
  try {
    await unpackPackage('prometheus', PROMETHEUS_PROGRAMS, CACHE_FOLDER);
    return CACHE_FOLDER;
  } catch (error) {
    const advice = 'Install them: "apt-get install prometheus", or https://prometheus.io/download/';
    throw new Error(`prometheus and promtool are missing. ${advice}`, { cause: error });
  }
}
