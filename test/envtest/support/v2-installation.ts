/** config/overlays/v2 on its own API server, with the bundled manager as a process instead of a Pod. */

import { findFreePort } from 'controller-runtime/testing';
import { afterAll, beforeAll } from 'vitest';
import { ManagerProcess } from '../../support/manager-process.ts';
import { findOnly, type Manifest, managerContainer } from '../../support/manifests.ts';
import { EmptyCluster, NAMESPACE, render, renderAndParse } from './installation.ts';
import { writeKubeconfigAs } from './kubeconfig-as.ts';

/** Set-up for the tests of one file. */
export class V2Installation {
  readonly #cluster = new EmptyCluster();
  #manager: ManagerProcess | undefined;

  constructor() {
    beforeAll(async () => {
      const port = await findFreePort();
      const manifests = (await renderAndParse('config/overlays/v2')).map((manifest) => toLocal(manifest, port));
      const items = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests });
      await this.kubectl('apply', '-f', this.#cluster.writeText(items));
      this.#manager = this.#startManager(manifests, port);
      await this.#manager.waitUntilReady();
    });
    afterAll(() => this.#manager?.[Symbol.asyncDispose]());
  }

  get manager(): ManagerProcess {
    if (this.#manager === undefined) throw new Error('the manager starts before the first test of the file');
    return this.#manager;
  }

  /** Runs as an administrator. */
  kubectl(...args: readonly string[]): Promise<string> {
    return this.#cluster.kubectl(...args);
  }

  /** The error that kubectl prints for the manifest. */
  async getRefusal(manifest: object): Promise<string> {
    const created = await this.apply(manifest).catch((error: Error) => error);
    if (!(created instanceof Error)) throw new Error(`accepted: ${created}`);
    return created.message;
  }

  apply(manifest: object, ...args: readonly string[]): Promise<string> {
    return this.kubectl('apply', ...args, '-f', this.#cluster.writeText(JSON.stringify(manifest)));
  }

  /** Installs config/default over the overlay, as `make deploy` does. */
  async removeV2(): Promise<void> {
    await this.kubectl('apply', '-f', this.#cluster.writeText(await render('config/default')));
  }

  /** The manager with the arguments of the Deployment, and with the permissions of its ServiceAccount. */
  #startManager(manifests: readonly Manifest[], port: number): ManagerProcess {
    const { name } = findOnly(manifests, 'ServiceAccount').metadata;
    const user = `system:serviceaccount:${NAMESPACE}:${name}`;
    const args: readonly string[] = managerContainer(manifests).args;
    const kubeconfig = writeKubeconfigAs(user, this.#cluster.running.kubeconfig, this.#cluster.folder);
    const isLocal = (arg: string) => !/^--(?:leader-elect|health|metrics)/.test(arg);
    const local = [`--webhook-port=${port}`, `--webhook-namespace=${NAMESPACE}`, '--webhook-shutdown-delay=0s'];
    return new ManagerProcess(kubeconfig, [...args.filter(isLocal), ...local]);
  }
}

/** Returns the manifest with a Service that leads to this machine, where no kube-proxy runs. The API server resolves its name itself. */
function toLocal(manifest: Manifest, port: number): Manifest {
  const copy = structuredClone(manifest);
  if (copy.kind === 'Service' && copy.metadata.name.endsWith('webhook-service'))
    return { ...copy, spec: { type: 'ExternalName', externalName: 'localhost' } };
  const webhooks = [...(copy['webhooks'] ?? []), copy['spec']?.conversion?.webhook];
  for (const webhook of webhooks) if (webhook !== undefined) webhook.clientConfig.service.port = port;
  return copy;
}
