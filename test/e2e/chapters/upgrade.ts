import { describe, expect, inject, test } from 'vitest';
import { DEPLOYMENT, NAMESPACE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { createContinuously } from './continuous-creates.ts';
import { cronJobManifest, runManually } from './cron-jobs.ts';

/** `make deploy` with another image, while clients continue to work. */
export const upgrade: Chapter = (operator) => {
  describe('an upgrade', () => {
    test('replaces both replicas, and the webhooks answer throughout', async () => {
      await operator().apply(cronJobManifest('from-before', {}));
      expect(await runManually(operator(), 'from-before', 'before')).toMatchObject({
        lastRun: { result: 'Succeeded' },
      });
      // The default is five seconds. The network of a busy machine may need longer to remove a Pod.
      await operator().restartWith('--webhook-shutdown-delay=30s');
      const before = (await operator().pods()).map(({ metadata }) => metadata.uid);
      await using creates = createContinuously(cronJobManifest('asked', {}));

      await operator().apply(await operator().site.manifests(inject('site').nextImage));
      // We may know only one image for a cluster that is not ours.
      await operator().kubectl('rollout', 'restart', DEPLOYMENT, `--namespace=${NAMESPACE}`);
      await operator().waitUntilReady();

      expect(await creates.stop()).toEqual({ answered: expect.any(Number), failures: [] });
      const pods = await operator().pods();
      for (const { spec, metadata } of pods) {
        expect(spec.containers[0]?.image).toBe(inject('site').nextImage);
        expect(before).not.toContain(metadata.uid);
      }
    });

    test('continues the existing CronJobs', async () => {
      expect(await runManually(operator(), 'from-before', 'after')).toMatchObject({ lastRun: { result: 'Succeeded' } });
      expect(await operator().kubectlInWork('get', 'jobs', '--output=name')).toMatch(
        /from-before-m\w+\n.*from-before-m\w+\n/,
      );
    });
  });
};
