/**
 * Projects that `npm create controller-runtime` makes from the packages of a release in a registry. Each project must pass its own checks at
 * once, and its bundle must work with only the permissions in its manifests.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { provision } from '../../hack/control-plane/provision.ts';
import { run } from '../../hack/control-plane/run.ts';
import { API_SERVER_BINARIES } from '../../hack/control-plane/versions.ts';
import { writeKubeconfigAs } from '../envtest/support/kubeconfig-as.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { createNpmEnv } from './support/install-released.ts';

/** Timeout for compiling, packing, installing and bundling, on a machine that is busy with other work. */
const TIMEOUT_MS = 1_200_000;
/** kubectl waits until the timeout of the test. */
const NO_LIMIT = '--timeout=-1s';

const home = createTemporaryFolderForFile();

/** Runs a command as a user with the kubeconfig and the kubectl of the test. */
function runAsUser(command: string, cwd: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = {
    ...process.env,
    ...variables,
    PATH: `${dirname(process.execPath)}:${dirname(inject('kubectl'))}:${process.env['PATH']}`,
    KUBECONFIG: inject('kubeconfig'),
    ...createNpmEnv(),
  };
  const [file = '', ...args] = command.split(' ');
  return run(file, args, { cwd, env });
}

async function create(name: string, flags: string): Promise<string> {
  const printed = await runAsUser(`npm create controller-runtime@latest ${name} -- ${flags}`, home);
  expect(printed).toContain(`Next:\n  cd ${name}\n  npm test\n`);
  return join(home, name);
}

/** Runs the checks in the CI of the project. */
async function expectPassingChecks(project: string, testCount: number): Promise<void> {
  const workflow = readFileSync(join(project, '.github/workflows/ci.yaml'), 'utf8');
  for (const script of ['check', 'lint', 'test', 'build'])
    expect(workflow).toMatch(new RegExp(`- run: npm (?:run )?${script}\n`));
  expect(workflow).toMatch(/ KUBEBUILDER_ASSETS=.*\n +export KUBEBUILDER_ASSETS\n +npm run test:cluster\n/);
  await runAsUser('npm run check', project);
  await runAsUser('make lint', project);
  expect(await runAsUser('npm test', project)).toContain(`pass ${testCount}\n`);
  await runAsUser('npm run build', project);
  expect(await runAsUser('make test-cluster', project)).toContain('fail 0\n');
  const { 'kube-apiserver': apiServer } = await provision(API_SERVER_BINARIES);
  const assets = { KUBEBUILDER_ASSETS: dirname(apiServer) };
  expect(await runAsUser('npm run test:cluster', project, assets)).toContain('fail 0\n');
}

test('a project passes its checks, and its bundle reconciles with the permissions of its manifests', {
  timeout: TIMEOUT_MS,
}, async () => {
  const project = await create('site-operator', '--group=sites.example.com --kind=Website');
  await expectPassingChecks(project, 2);
  await runAsUser('make deploy IMG=images.example.com/site-operator:1', project);
  const image = ['-o', 'jsonpath={.spec.template.spec.containers[0].image}'];
  const deployment = 'kubectl -n site-operator-system get deployment site-operator';
  expect(await runAsUser([deployment, ...image].join(' '), project)).toBe('images.example.com/site-operator:1');
  await runAsUser('npm run check', project); // the image of a deployment does not change config/

  const operator = writeKubeconfigAs('system:serviceaccount:site-operator-system:site-operator', inject('kubeconfig'));
  const flags = ['--leader-elect', '--leader-election-namespace=site-operator-system'];
  const program = { file: join(project, 'dist/main.mjs'), nodeFlags: ['--enable-source-maps'] };
  await using manager = new ManagerProcess(operator, flags, {}, program);
  await manager.waitForLog('controller started');
  await runAsUser('kubectl apply -f config/samples', project);
  await runAsUser(`kubectl wait --for=condition=Ready website.sites.example.com/sample ${NO_LIMIT}`, project);
  const message = 'kubectl get configmap sample-website -o jsonpath={.data.message}';
  expect(await runAsUser(message, project)).toBe('Hello');
  manager.signal('SIGTERM');
  expect(await manager.exited).toBe(0);
  expect(manager.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a project with webhooks passes its checks, also with a second kind', { timeout: TIMEOUT_MS }, async () => {
  const project = await create('route-operator', '--group=routes.example.com --kind=HTTPRoute --webhook');
  await expectPassingChecks(project, 5);
  const flags = '--group=routes.example.com --kind=Policy --scope=Cluster --validation';
  await runAsUser(`npm create controller-runtime@latest api -- ${flags}`, project);
  await expectPassingChecks(project, 9);
});
