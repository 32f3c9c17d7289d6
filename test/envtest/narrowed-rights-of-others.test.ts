/** That the policies of config/default bind the manager alone. */
import { configurationResource, core } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { describe, test } from 'vitest';
import { jobs } from '../../controllers/resources.ts';
import { connect } from '../support/cluster-client.ts';
import { kubeconfigAs } from './support/kubeconfig-as.ts';
import { ACCOUNT, CONFIGURATIONS, jobIn, NAMESPACE, ORDINARY, StolenToken, secret } from './support/narrowed-rights.ts';

const stolen = new StolenToken();

describe('the policies bind nobody else', () => {
  test('an administrator starts Jobs and changes webhook configurations', async () => {
    await stolen.admin.create(jobs, jobIn('kube-system', {}));
    for (const ref of CONFIGURATIONS) {
      const body = [{ op: 'replace', path: '/webhooks/0/timeoutSeconds', value: 10 }] as const;
      await stolen.admin.patch(configurationResource(ref), ref, { kind: 'json', body });
    }
    await stolen.admin.create(core.v1.secrets, secret({ name: 'other' }));
  });

  test('nor a ServiceAccount of the same name in another namespace', async () => {
    await stolen.kubectl(
      'create',
      'clusterrolebinding',
      'same-name',
      '--clusterrole=cluster-admin',
      `--serviceaccount=${ORDINARY}:${ACCOUNT}`,
    );
    await using other = connect(kubeconfigAs(`system:serviceaccount:${ORDINARY}:${ACCOUNT}`, stolen.kubeconfig));
    await other.client.create(jobs, jobIn('kube-system', {}));
  });

  test('nor anybody when the ServiceAccount is gone, as in the middle of an uninstall', async () => {
    await stolen.kubectl('delete', 'serviceaccount', ACCOUNT, '--namespace', NAMESPACE);
    await eventually(async () => {
      // With the account, the policies have nobody left to bind: even its name is free.
      await stolen.thief.create(jobs, jobIn(NAMESPACE));
    });
    await stolen.admin.create(jobs, jobIn(ORDINARY, {}));
  });
});
