/** Set-up of the project `ui`: an API server with our CRD, another one with the lively scene, and where Chromium is. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { parse, stringify } from 'yaml';
import { startApiServer } from '../../cluster/api-server.ts';
import { CRD_FOLDER, provideApiServer } from '../../cluster/provide-api-server.ts';
import { sceneCronJobs } from './lively-scene.ts';
import './provided.ts';
import { storeCronJobs } from './stored-cron-jobs.ts';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = process.env['CHROMIUM'];
  if (chromium === undefined) throw new Error('CHROMIUM is not set: run "make test-ui"');
  project.provide('chromium', chromium);
  const [stop, scene] = await Promise.all([provideApiServer(project), startApiServer([CRD_FOLDER])]);
  await storeCronJobs(scene, sceneCronJobs());
  project.provide('sceneKubeconfig', withContextNamed('production', scene.kubeconfig));
  return async () => {
    await Promise.all([stop(), scene.stop()]);
  };
}

/** A kubeconfig with a context of this name, which screenshots show. @returns Path of the new file, beside the given one. */
function withContextNamed(name: string, path: string): string {
  const kubeconfig = parse(readFileSync(path, 'utf8'));
  const [context] = kubeconfig.contexts;
  const file = join(dirname(path), `${name}.kubeconfig`);
  writeFileSync(file, stringify({ ...kubeconfig, contexts: [{ ...context, name }], 'current-context': name }), {
    mode: 0o600,
  });
  return file;
}
