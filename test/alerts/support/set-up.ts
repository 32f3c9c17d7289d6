/** Set-up of the project `alerts`: an API server with our CRD, and where Prometheus is. */
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { provideApiServer } from '../../cluster/provide-api-server.ts';
import './provided.ts';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = process.env['PROMETHEUS_FOLDER'];
  if (folder === undefined) throw new Error('PROMETHEUS_FOLDER is not set: run "make test-alerts"');
  project.provide('prometheus', join(folder, 'prometheus'));
  project.provide('promtool', join(folder, 'promtool'));
  return await provideApiServer(project);
}
