/** A webhook server in this process that a real API server calls for the CronJobs of one namespace. */
import { type ApiError, collectDeclarations, findApiError, type WebhookRegistrar } from 'controller-runtime';
import { discardLogger, KeyPairFiles, WebhookServer } from 'controller-runtime/internal';
import {
  eventually,
  installWebhooks,
  uninstallWebhooks,
  type WebhookInstallation,
  writeCertificate,
} from 'controller-runtime/testing';
import { expect } from 'vitest';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../../api/v1/groupversion.ts';
import { cronJobs } from '../../../controllers/resources.ts';
import { Scene } from '../../support/scene.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { run } from './crd.ts';

/** Longer than a server waits for connections to close. */
const CLOSE_MS = 60_000;

export class WebhookScene implements AsyncDisposable {
  readonly scene: Scene;
  readonly #installation: WebhookInstallation;
  readonly #stop: () => Promise<void>;

  private constructor(scene: Scene, installation: WebhookInstallation, stop: () => Promise<void>) {
    this.scene = scene;
    this.#installation = installation;
    this.#stop = stop;
  }

  /**
   * @param register Registers the webhooks to serve and to declare to the API server.
   * @param folder Folder for the certificate. Default: one that is deleted with the test.
   */
  static async open(
    register: (webhooks: WebhookRegistrar) => void,
    folder: string = createTemporaryFolder(),
  ): Promise<WebhookScene> {
    const scene = await Scene.open();
    const { cert: caBundle } = writeCertificate(folder);
    const { clock, namespace } = scene;
    const keyPair = new KeyPairFiles({ folder, clock, log: discardLogger });
    const address = { kind: 'listen', host: '127.0.0.1', port: 0 } as const;
    const server = new WebhookServer({ address, keyPair, clock, log: discardLogger });
    register(server);
    const stopping = new AbortController();
    const stopped = server.start(stopping.signal);
    const installation = { namespace, port: await server.port, caBundle, declarations: collectDeclarations(register) };
    await installWebhooks(scene.client, installation);
    const stop = async () => {
      stopping.abort();
      const isStopped = stopped.then(() => true);
      await eventually(async () => {
        // A connection that the API server keeps for later has no request. The server waits for such connections on this clock.
        await clock.advance(CLOSE_MS);
        expect(await Promise.race([isStopped, false])).toBe(true);
      });
    };
    return new WebhookScene(scene, installation, stop);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await uninstallWebhooks(this.scene.client, this.#installation);
    await this.#stop();
    await this.scene[Symbol.asyncDispose]();
  }

  /** Creates a CronJob and returns it as the API server stored it. Default: a dry run. */
  async create(schedule: string, { dryRun = true } = {}): Promise<CronJob> {
    const { client, namespace } = this.scene;
    // The server adds the missing fields.
    return await client.create(cronJobs, createManifest(namespace, schedule) as unknown as CronJob, { dryRun });
  }

  /** The API server's refusal of a CronJob, once it calls the webhook and the webhook denies the object. */
  async getRefusal(schedule: string): Promise<ApiError> {
    return await eventually(async () => {
      const error = findApiError(await this.create(schedule).catch((reason) => reason));
      if (error === undefined) throw new Error('the API server does not ask the webhook yet');
      return error;
    });
  }

  /** Runs `kubectl apply` on a CronJob in the namespace. Never rejects. */
  async apply(schedule: string): Promise<{ readonly code: number; readonly stderr: string }> {
    const { code, stderr } = await run(['apply', '-f', '-'], createManifest(this.scene.namespace, schedule));
    return { code, stderr };
  }
}

/** A CronJob with the required fields of the schema. */
export function createManifest(namespace: string, schedule: string) {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'hello', image: 'busybox' }] } };
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name: 'hello', namespace },
    spec: { schedule, jobTemplate: { spec: { template } } },
  };
}
