/** The objects of `make deploy`: applied to an empty cluster, upgraded and removed, with the scripts that `make` runs. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { FLAGS } from '../../cmd/flags.ts';
import { listTitles, type Manifest, PROJECT, parseManifests } from '../support/manifests.ts';
import { createNamespace } from '../support/namespace.ts';
import { EmptyCluster, render } from './support/installation.ts';

const cluster = new EmptyCluster();

type ScriptEnvironment = Readonly<Record<string, string>>;

/** Runs a script of hack/ as `make` does, without a terminal. */
async function runScript(name: string, environment: ScriptEnvironment): Promise<string> {
  const { kubectl, kubeconfig } = cluster.running;
  const env = { ...process.env, KUBECTL: kubectl, KUBECONFIG: kubeconfig, ...environment };
  const { stdout } = await promisify(execFile)(join('hack', name), [], { cwd: PROJECT, env });
  return stdout;
}

function undeploy(environment: ScriptEnvironment): Promise<string> {
  return runScript('installer/undeploy.sh', environment);
}

async function hasCrd(): Promise<boolean> {
  const found = await cluster.kubectl('get', 'crd', '--output=name');
  return found.includes('/cronjobs.batch.tutorial.kubebuilder.io');
}

describe('on an empty cluster, dist/install.yaml', () => {
  let manifests: string;

  beforeAll(async () => {
    manifests = cluster.writeText(await render('config/default'));
  });

  test('is applied at once, in the order of the file', async () => {
    const output = await cluster.kubectl('apply', '--warnings-as-errors', '-f', manifests);
    const lines = output.trim().split('\n');
    expect(lines.filter((line) => !line.endsWith(' created'))).toEqual([]);
    expect(lines).toHaveLength(parseManifests(readFileSync(manifests, 'utf8')).length);
  });

  /** Versions of all objects, by title. */
  async function versions(): Promise<Readonly<Record<string, string>>> {
    const { items }: { items: readonly Manifest[] } = JSON.parse(
      await cluster.kubectl('get', '-f', manifests, '--output=json'),
    );
    return Object.fromEntries(items.map((each) => [listTitles([each]), each.metadata.resourceVersion]));
  }

  test('keeps the certificate of the manager in the webhooks when it is applied again', async () => {
    const names = ['mutating', 'validating'].map(
      (sort) => `${sort}webhookconfiguration/cronjob-operator-${sort}-webhook-configuration`,
    );
    const path = '{.clusters[0].cluster.certificate-authority-data}';
    const caBundle = await cluster.kubectl('config', 'view', '--raw', `--output=jsonpath=${path}`);
    const patch = JSON.stringify([{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: caBundle }]);
    for (const name of names) await cluster.kubectl('patch', name, '--type=json', `--patch=${patch}`);
    await cluster.kubectl('apply', '-f', cluster.writeText(await render('config/default', { image: 'operator:2' })));
    const stored = '--output=jsonpath={.webhooks[0].clientConfig.caBundle}';
    for (const name of names) expect(await cluster.kubectl('get', name, stored)).toBe(caBundle);
  });

  test('changes nothing when it is applied again without a manager, and only the Deployment with another image', async () => {
    const applyWithImage = async (image: string) => {
      const before = await versions();
      await cluster.kubectl('apply', '-f', cluster.writeText(await render('config/default', { image })));
      const after = await versions();
      return Object.keys(after).filter((title) => after[title] !== before[title]);
    };
    expect(await applyWithImage('operator:3')).toEqual(['Deployment/cronjob-operator-controller-manager']);
    expect(await applyWithImage('operator:3')).toEqual([]);
  });

  test("adds the user roles to the cluster's aggregated roles", async () => {
    const labels = 'rbac.authorization.k8s.io/aggregate-to-';
    for (const [role, aggregated] of Object.entries({ admin: 'admin', editor: 'edit', viewer: 'view' })) {
      const found = await cluster.kubectl('get', 'clusterrole', '-l', `${labels}${aggregated}=true`, '--output=name');
      expect(found).toContain(`/cronjob-operator-cronjob-${role}-role`);
    }
  });
});

describe('make undeploy', () => {
  const parts = { OVERLAY: 'config/overlays/cluster-parts' };

  beforeAll(async () => {
    await cluster.kubectl('apply', '-f', cluster.writeText(await render(parts.OVERLAY)));
  });

  test('lists the CronJobs and deletes nothing without YES=1', async () => {
    const sample = join(PROJECT, 'config/samples/batch_v1_cronjob.yaml');
    const webhooks = 'mutatingwebhookconfigurations,validatingwebhookconfigurations';
    await cluster.kubectl('delete', '--ignore-not-found', webhooks, '--all');
    await cluster.kubectl('apply', '-f', sample);
    await expect(undeploy(parts)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('all CronJobs of that kind in every namespace (currently 1)'),
      stderr: expect.stringContaining('To confirm, run `make undeploy YES=1`.'),
    });
    const roles = await cluster.kubectl('get', 'clusterroles', '--output=name');
    expect(roles).toContain('cronjob-operator-cronjob-viewer-role');
    expect(await hasCrd()).toBe(true);
  });

  test('keeps the CRD and the CronJobs with KEEP_CRD=1, without a question', async () => {
    await undeploy({ ...parts, KEEP_CRD: '1' });
    expect(await cluster.kubectl('get', 'clusterroles', '--output=name')).not.toContain('cronjob-operator-cronjob-');
    expect(await cluster.kubectl('get', 'tcj', '--all-namespaces', '--output=name')).toContain('cronjob-sample');
  });

  test('deletes the CRD with YES=1, and succeeds a second time', async () => {
    await undeploy({ ...parts, YES: '1' });
    expect(await hasCrd()).toBe(false);
    await undeploy(parts);
  });

  test('deletes everything of a namespaced install except the namespace, including the lease', async () => {
    const OVERLAY = 'config/overlays/namespaced';
    const namespace = await createNamespace(cluster.running.apiServer, 'team');
    const metadata = { name: FLAGS.leaderElectionId.default, namespace };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
    await cluster.kubectl('apply', '-f', cluster.writeText(await render(OVERLAY, { namespace })));
    await cluster.kubectl('apply', '-f', cluster.writeText(JSON.stringify(lease)));
    await undeploy({ OVERLAY, NAMESPACE: namespace });
    const kinds = 'deployments,poddisruptionbudgets,serviceaccounts,roles,rolebindings,leases';
    expect(await cluster.kubectl('get', kinds, '--namespace', namespace, '--output=name')).toBe('');
    expect(await cluster.kubectl('get', 'namespace', namespace, '--output=jsonpath={.status.phase}')).toBe('Active');
  });
});

describe.each(['installer/deploy.sh', 'installer/undeploy.sh', 'uninstall.sh'])('without a cluster, %s', (name) => {
  test.each(['', '/nowhere'])('prints one sentence of advice: KUBECONFIG=%s', async (kubeconfig) => {
    await expect(
      runScript(name, { OVERLAY: 'config/default', KUBECONFIG: kubeconfig, HOME: '/nowhere' }),
    ).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Cannot reach the cluster: .*\nSet KUBECONFIG to .*\n$/),
    });
  });
});

test('refuses an invalid image in one sentence', async () => {
  await expect(runScript('installer/deploy.sh', { OVERLAY: 'config/default', IMG: 'no image' })).rejects.toMatchObject({
    stdout: '',
    stderr: '"no image" is not a valid image name\n',
  });
});

test('prints the next steps after the objects', async () => {
  const namespace = await createNamespace(cluster.running.apiServer);
  const environment = { OVERLAY: 'config/overlays/namespaced', NAMESPACE: namespace };
  expect(await runScript('installer/deploy.sh', environment)).toContain(
    `kubectl --namespace=${namespace} rollout status`,
  );
  await undeploy(environment);
});
