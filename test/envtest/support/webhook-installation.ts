/** Webhooks of two managers that make their own certificates, and the objects that this needs in a cluster. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  apiErrorOf,
  type ConfigurationRef,
  caBundleRules,
  certificateSecretRules,
  configurationResource,
  core,
  type NewObject,
  type PolicyRule,
  type Resource,
  type WebhookConfiguration,
} from 'controller-runtime';
import { webhookConfigurations } from 'controller-runtime/manifests';
import { eventually } from 'controller-runtime/testing';
import { expect, inject } from 'vitest';
import { parse } from 'yaml';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { cronJobs } from '../../../controllers/resources.ts';
import { freePort } from '../../../hack/control-plane/free-port.ts';
import { CRON_JOB_WEBHOOKS } from '../../../hack/webhook/cronjob-webhooks.ts';
import { PROJECT } from '../../support/manifests.ts';
import { createNamespace } from '../../support/namespace.ts';
import { Scene } from '../../support/scene.ts';
import { TcpRelay } from '../../support/tcp-relay.ts';
import { kubeconfigAs } from './kubeconfig-as.ts';
import { createManagerAccount, policiesHold } from './manager-policies.ts';
import { cronJobManifest } from './webhook-scene.ts';

const SECRET = 'webhook-server-cert';
const SERVICE = 'webhook-service';
const RBAC = 'rbac.authorization.k8s.io';
const RBAC_VERSION = `${RBAC}/v1`;

const services: Resource = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true };

/** A namespace whose CronJobs two managers are asked about: every one of them, by each webhook of each. */
export class WebhookInstallation implements AsyncDisposable {
  readonly scene: Scene;
  /** Where the managers listen. */
  readonly ports: readonly number[];
  /** Between the API server and the managers. */
  readonly #relays: readonly TcpRelay[];

  private constructor(scene: Scene, ports: readonly number[], relays: readonly TcpRelay[]) {
    this.scene = scene;
    this.ports = ports;
    this.#relays = relays;
  }

  static async open(): Promise<WebhookInstallation> {
    const ports = [await freePort(), await freePort()];
    const relays = await Promise.all(ports.map((port) => TcpRelay.to(port)));
    const installation = new WebhookInstallation(await Scene.open(), ports, relays);
    await installation.#createService();
    for (const ref of installation.refs)
      await installation.scene.client.create(configurationResource(ref), installation.applied(ref));
    return installation;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const ref of this.refs) await this.scene.client.delete(configurationResource(ref), ref);
    await Promise.all(this.#relays.map((relay) => relay[Symbol.asyncDispose]()));
    await this.scene[Symbol.asyncDispose]();
  }

  get refs(): readonly ConfigurationRef[] {
    return webhookConfigurations(CRON_JOB_WEBHOOKS).map(({ kind, metadata }) => ({
      kind,
      name: `${metadata.name}-${this.scene.namespace}`,
    }));
  }

  flags(port: number): readonly string[] {
    const { namespace } = this.scene;
    const [mutating, validating] = this.refs.map(({ name }) => name);
    return [
      '--webhook-shutdown-delay=0s',
      ...[`--namespaces=${namespace}`, `--webhook-port=${port}`, `--webhook-cert-secret=${SECRET}`],
      ...[`--webhook-namespace=${namespace}`, `--webhook-service=${SERVICE}`],
      ...[`--mutating-webhook-configuration=${mutating}`, `--validating-webhook-configuration=${validating}`],
    ];
  }

  /** The API server resolves such a Service by itself: there is no kube-proxy here, but the name is the same. */
  async #createService(): Promise<void> {
    const { client, namespace } = this.scene;
    const spec = { type: 'ExternalName', externalName: 'localhost' };
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name: SERVICE }, spec };
    await client.create(services, service);
  }

  /** A configuration as people apply it: it trusts nobody yet. */
  applied(ref: ConfigurationRef): NewObject<WebhookConfiguration> {
    const { namespace } = this.scene;
    const declared = webhookConfigurations(CRON_JOB_WEBHOOKS).filter(({ kind }) => kind === ref.kind);
    const webhooks = declared.flatMap(({ webhooks: each }) => each);
    return {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: ref.kind,
      metadata: { name: ref.name },
      webhooks: this.#relays.flatMap(({ port }) =>
        webhooks.map(({ name, clientConfig, ...webhook }) => ({
          ...webhook,
          name: `p${port}.${name}`,
          clientConfig: {
            service: { ...('service' in clientConfig && clientConfig.service), namespace, name: SERVICE, port },
          },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        })),
      ),
    };
  }

  /** The bundle of every webhook, each once, in PEM. */
  async trusted(): Promise<readonly string[]> {
    const { client } = this.scene;
    const configurations = await Promise.all(this.refs.map((ref) => client.get(configurationResource(ref), ref)));
    const webhooks = configurations.flatMap((configuration) => configuration?.webhooks ?? []);
    expect(webhooks).toHaveLength(4);
    return [...new Set(webhooks.map(({ clientConfig }) => decode(clientConfig.caBundle)))];
  }

  async secret(): Promise<Readonly<Record<string, string>>> {
    const { client, namespace } = this.scene;
    const secret = await client.get(core.v1.secrets, { namespace, name: SECRET });
    return Object.fromEntries(Object.entries(secret?.data ?? {}).map(([key, text]) => [key, decode(text)]));
  }

  /** Creates a CronJob, as a dry run. It is stored when all four webhooks have answered. */
  async tryOut(schedule = '1 * * * *'): Promise<CronJob> {
    const { client, namespace } = this.scene;
    // The server fills in what is missing.
    const manifest = cronJobManifest(namespace, schedule) as unknown as CronJob;
    return await client.create(cronJobs, manifest, { dryRun: true });
  }

  /** The same over new connections: those that are open have nothing more to fear from a certificate. */
  async tryOutAnew(): Promise<CronJob> {
    await Promise.all(this.#relays.map((relay) => relay.cut()));
    return await this.tryOut();
  }

  /** Resolves when the API server's calls pass, and what the rules refuse is refused by them. */
  async answers(): Promise<void> {
    await eventually(async () => {
      expect(await this.tryOut()).toMatchObject({ spec: { schedule: '1 * * * *' } });
      const refusal = await this.tryOut('61 * * * *').catch(apiErrorOf);
      expect(refusal).toMatchObject({ code: 422, causes: [{ field: 'spec.schedule' }] });
    });
  }

  /**
   * A kubeconfig of a ServiceAccount that may do for the certificates what the tables say and the policies leave, and work in
   * the namespace.
   */
  async kubeconfig(): Promise<string> {
    const { client, namespace } = this.scene;
    const name = `certificates-${namespace}`;
    const account = { namespace: await createNamespace(inject('apiServer'), 'operator'), name: 'manager' };
    await createManagerAccount(client, account);
    const role = (kind: string, namespaced: boolean): Resource => {
      return { group: RBAC, version: 'v1', kind, plural: `${kind.toLowerCase()}s`, namespaced };
    };
    const subjects = [{ kind: 'ServiceAccount', ...account }];
    const create = async (kind: string, key: { name: string; namespace?: string }, rest: object) => {
      const object = { apiVersion: RBAC_VERSION, kind, metadata: key, ...rest };
      await client.create(role(kind, key.namespace !== undefined), object);
    };
    const refTo = (kind: string, to: string) => ({ roleRef: { apiGroup: RBAC, kind, name: to }, subjects });
    const inNamespace = { namespace, name };
    await create('Role', inNamespace, { rules: rulesOf(certificateSecretRules(SECRET)) });
    await create('RoleBinding', inNamespace, refTo('Role', name));
    await create('ClusterRole', { name }, { rules: rulesOf(caBundleRules(this.refs)) });
    await create('ClusterRoleBinding', { name }, refTo('ClusterRole', name));
    const { rules } = parse(readFileSync(join(PROJECT, 'config/rbac/role.yaml'), 'utf8'));
    await create('Role', { namespace, name: `work-${namespace}` }, { rules });
    await create('RoleBinding', { namespace, name: `work-${namespace}` }, refTo('Role', `work-${namespace}`));
    const kubeconfig = kubeconfigAs(`system:serviceaccount:${account.namespace}:${account.name}`, inject('kubeconfig'));
    await policiesHold(client, kubeconfig, namespace);
    return kubeconfig;
  }
}

function rulesOf(rules: readonly PolicyRule[]): readonly object[] {
  return rules.map(({ group, ...rule }) => ({ apiGroups: [group], ...rule }));
}

const decode = (text = '') => Buffer.from(text, 'base64').toString();
