/** Clusters in which the manager's Pods are containers: our own node, kind, or a cluster that the user names. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { run } from '../../../hack/control-plane/run.ts';
import { renderManifests } from '../../../hack/installer/manifests.ts';
import { createKubectl, PROJECT } from '../../support/manifests.ts';
import { NAMESPACE } from './operator.ts';
import type { ScrapeResponse, Site } from './site.ts';

/** Prints status and body of a response. The manager signs its certificate itself, so a client cannot verify it. */
const SCRAPE = `
  const { URL: url, TOKEN: token } = process.env;
  const headers = token ? { authorization: 'Bearer ' + token } : {};
  require('node:https').get(url, { headers, rejectUnauthorized: false }, async (answer) => {
    const body = (await answer.toArray()).join('');
    console.log(JSON.stringify({ status: answer.statusCode, body }));
  });`;

const METRICS_SERVICE = 'service/cronjob-operator-controller-manager-metrics-service';
const METRICS_PORT = 8443;

export class PodSite implements Site {
  readonly hasContainers = true;
  readonly auditLog = inject('site').name === 'node' ? inject('auditLog') : undefined;
  readonly #cacheFolder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  readonly #kubectl = createKubectl({
    kubectl: inject('kubectl'),
    kubeconfig: inject('kubeconfig'),
    cacheFolder: this.#cacheFolder,
  });

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#cacheFolder, { recursive: true, force: true });
  }

  manifests(image: string): Promise<string> {
    return renderManifests({ kubectl: inject('kubectl'), overlay: join(PROJECT, 'config/default'), image });
  }

  async crash(pod: string): Promise<void> {
    if (inject('site').name !== 'node') {
      // Without access to the node, this is as close as the API permits: the Pod is gone at once, its process a second later.
      await this.#kubectl('delete', 'pod', pod, `--namespace=${NAMESPACE}`, '--force', '--grace-period=0');
      return;
    }
    const path = 'jsonpath={.status.containerStatuses[0].containerID}';
    const id = await this.#kubectl('get', 'pod', pod, `--namespace=${NAMESPACE}`, `--output=${path}`);
    const [program = '', ...enter] = inject('enterNode');
    const kill = ['ctr', '--namespace=k8s.io', 'tasks', 'kill', '--signal=SIGKILL', id.replace('containerd://', '')];
    await run(program, [...enter, ...kill]);
  }

  async scrape(token = ''): Promise<ScrapeResponse> {
    const address = 'jsonpath={.spec.clusterIP}';
    const ip = await this.#kubectl('get', METRICS_SERVICE, `--namespace=${NAMESPACE}`, `--output=${address}`);
    const name = `scrape-${Date.now()}`;
    const pod = scraper(name, { URL: `https://${ip}:${METRICS_PORT}/metrics`, TOKEN: token });
    const file = join(this.#cacheFolder, `${name}.json`);
    writeFileSync(file, JSON.stringify(pod));
    const inNamespace = '--namespace=default';
    await this.#kubectl('create', '-f', file, inNamespace);
    try {
      await this.#kubectl(
        'wait',
        'pod',
        name,
        inNamespace,
        '--for=jsonpath={.status.phase}=Succeeded',
        '--timeout=60s',
      );
      return JSON.parse(await this.#kubectl('logs', name, inNamespace));
    } finally {
      await this.#kubectl('delete', 'pod', name, inNamespace, '--now');
    }
  }
}

function scraper(name: string, variables: Readonly<Record<string, string>>): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      containers: [
        {
          name: 'scrape',
          image: inject('site').image,
          command: ['/nodejs/bin/node', '-e', SCRAPE],
          env: Object.entries(variables).map(([key, value]) => ({ name: key, value })),
        },
      ],
    },
  };
}
