import { describe, expect, test } from 'vitest';
import { WORK_NAMESPACE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';

const READER = 'e2e-metrics-reader';
const UNPRIVILEGED_NAME = 'e2e-stranger';

/** Only a client with the permission to read metrics can read them. */
export const metrics: Chapter = (operator) => {
  const createToken = async (account: string) => {
    await operator().kubectlInWork('create', 'serviceaccount', account);
    return (await operator().kubectlInWork('create', 'token', account)).trim();
  };

  describe('metrics', () => {
    test('are served to a ServiceAccount with the permission', async () => {
      const token = await createToken(READER);
      const role = '--clusterrole=cronjob-operator-metrics-reader';
      await operator().kubectl(
        'create',
        'clusterrolebinding',
        READER,
        role,
        `--serviceaccount=${WORK_NAMESPACE}:${READER}`,
      );
      try {
        const { status, body } = await operator().site.scrape(token);
        expect(status).toBe(200);
        expect(body).toMatch(/^leader_election_master_status\{.*\} [01]$/m);
        expect(body).toMatch(/^process_start_time_seconds \d/m);
      } finally {
        await operator().kubectl('delete', 'clusterrolebinding', READER);
      }
    });

    test('are refused without a token', async () => {
      expect(await operator().site.scrape()).toMatchObject({ status: 401 });
    });

    test('are refused to a ServiceAccount without the permission', async () => {
      expect(await operator().site.scrape(await createToken(UNPRIVILEGED_NAME))).toMatchObject({ status: 403 });
    });
  });
};
