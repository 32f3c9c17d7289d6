import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { PROJECT } from '../../support/manifests.ts';
import { PATIENCE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest } from './cron-jobs.ts';

/** `make undeploy`, and what it leaves of the operator and its objects. */
export const removal: Chapter = (operator) => {
  describe('make undeploy', () => {
    test('removes everything, including CronJobs and their Jobs', async () => {
      await operator().apply(cronJobManifest('last', {}));
      await operator().kubectlInWork('wait', 'tcj', 'last', '--for=condition=Available', '--timeout=60s');
      await operator().kubectlInWork('annotate', 'tcj', 'last', 'batch.tutorial.kubebuilder.io/run-now=1');
      await eventually(async () => expect(await operator().kubectlInWork('get', 'jobs', '--output=name')).not.toBe(''));
      await undeploy();
      await eventually(async () => expect(await operator().listTraces()).toEqual([]), PATIENCE);
      expect(await operator().kubectlInWork('get', 'jobs,pods', '--output=name')).toBe('');
    });

    test('succeeds again when nothing is left', async () => {
      await undeploy();
    });
  });
};

/** `make undeploy`. The deleted objects may take a while to go. */
export async function undeploy(): Promise<void> {
  const env = {
    ...process.env,
    KUBECTL: inject('kubectl'),
    KUBECONFIG: inject('kubeconfig'),
    OVERLAY: 'config/default',
    YES: '1',
  };
  await promisify(execFile)('hack/installer/undeploy.sh', [], { cwd: PROJECT, env });
}
