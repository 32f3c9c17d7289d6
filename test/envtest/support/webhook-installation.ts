/** Webhooks of two managers that create their own certificates, and the objects that these need in a cluster. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findApiError, type NewObject } from 'controller-runtime';
import {
  type ConfigurationRef,
  caBundleRules,
  certificateSecretRules,
  getConfigurationResource,
  type WebhookConfiguration,
} from 'controller-runtime/internal';
import { core } from 'controller-runtime/kubernetes';
import { webhookConfigurations } from 'controller-runtime/manifests';
import { eventually, findFreePort } from 'controller-runtime/testing';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { cronJobs } from '../../../controllers/resources.ts';
import { CRON_JOB_WEBHOOKS } from '../../../hack/webhook/cronjob-webhooks.ts';
import { PROJECT } from '../../support/manifests.ts';
import { Scene } from '../../support/scene.ts';
import { TcpRelay } from '../../support/tcp-relay.ts';
import { toRbacRules } from './grant.ts';
import { createManagerKubeconfig } from './manager-policies.ts';
import { createManifest } from './webhook-scene.ts';

const SECRET = 'webhook-server-cert';
const SERVICE = 'webhook-service';

/** A namespace whose CronJobs go to the webhooks of two managers: every CronJob goes to every webhook of both. */
export class CertificateInstallation implements AsyncDisposable {
  readonly scene: Scene;
  /** Ports of the managers. */
  readonly ports: readonly number[];
  /** The proxy between the API server and the managers. */
  readonly #relays: readonly TcpRelay[];

  private constructor(scene: Scene, ports: readonly number[], relays: readonly TcpRelay[]) {
    this.scene = scene;
    this.ports = ports;
    this.#relays = relays;
  }

  static async open(): Promise<CertificateInstallation> {
    const ports = [await findFreePort(), await findFreePort()];
    const relays = await Promise.all(ports.map((port) => TcpRelay.to(port)));
    const installation = new CertificateInstallation(await Scene.open(), ports, relays);
    const { client, namespace } = installation.scene;
    // The API server resolves such a Service itself: there is no kube-proxy here, but the name is the same.
    const spec = { type: 'ExternalName', externalName: 'localhost' };
    await client.create(core.v1.services, { metadata: { namespace, name: SERVICE }, spec });
    for (const ref of installation.refs)
      await client.create(getConfigurationResource(ref), installation.createConfiguration(ref));
    return installation;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const ref of this.refs) await this.scene.client.delete(getConfigurationResource(ref), ref);
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

  /** A configuration as a user applies it: without a CA bundle. */
  createConfiguration(ref: ConfigurationRef): NewObject<WebhookConfiguration> {
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

  /** The distinct CA bundles of the webhooks, in PEM. */
  async readTrustedBundles(): Promise<readonly string[]> {
    const { client } = this.scene;
    const configurations = await Promise.all(this.refs.map((ref) => client.get(getConfigurationResource(ref), ref)));
    const webhooks = configurations.flatMap((configuration) => configuration?.webhooks ?? []);
    expect(webhooks).toHaveLength(this.ports.length * CRON_JOB_WEBHOOKS.length);
    return [...new Set(webhooks.map(({ clientConfig }) => decode(clientConfig.caBundle)))];
  }

  async readSecret(): Promise<Readonly<Record<string, string>>> {
    const { client, namespace } = this.scene;
    const secret = await client.get(core.v1.secrets, { namespace, name: SECRET });
    return Object.fromEntries(Object.entries(secret?.data ?? {}).map(([key, text]) => [key, decode(text)]));
  }

  /** Creates a CronJob in a dry run. It succeeds when all four webhooks have allowed it. */
  async createAsDryRun(schedule = '1 * * * *'): Promise<CronJob> {
    const { client, namespace } = this.scene;
    // The server adds the missing fields.
    const manifest = createManifest(namespace, schedule) as unknown as CronJob;
    return await client.create(cronJobs, manifest, { dryRun: true });
  }

  /** The same over new connections: an open connection does not verify the certificate again. */
  async createOnNewConnections(): Promise<CronJob> {
    await Promise.all(this.#relays.map((relay) => relay.cut()));
    return await this.createAsDryRun();
  }

  /** Resolves when the API server's calls succeed, and the webhooks refuse invalid objects. */
  async waitUntilAnswering(): Promise<void> {
    await eventually(async () => {
      expect(await this.createAsDryRun()).toMatchObject({ spec: { schedule: '1 * * * *' } });
      const refusal = await this.createAsDryRun('61 * * * *').catch(findApiError);
      expect(refusal).toMatchObject({ code: 422, causes: [{ field: 'spec.schedule' }] });
    });
  }

  /**
   * A kubeconfig of a ServiceAccount with the documented permissions for certificates, restricted by the policies, and the permissions to work in the
   * namespace.
   */
  createKubeconfig(): Promise<string> {
    const { rules } = parse(readFileSync(join(PROJECT, 'config/rbac/role.yaml'), 'utf8'));
    const inNamespace = [...rules, ...toRbacRules(certificateSecretRules(SECRET))];
    return createManagerKubeconfig(this.scene, inNamespace, toRbacRules(caBundleRules(this.refs)));
  }
}

const decode = (text = '') => Buffer.from(text, 'base64').toString();
