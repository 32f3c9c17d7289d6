/** Webhook certificates in an API server in memory, with a clock that the test controls. */
import { expect } from 'vitest';
import { type ConfigurationRef, getConfigurationResource } from '../certificates/ca-bundle.ts';
import { WebhookCertificates } from '../certificates/webhook-certificates.ts';
import { LiveClient } from '../client/live-client.ts';
import { core } from '../kubernetes/core.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';

const DAY_MS = 86_400_000;

export const SECRET = { namespace: 'system', name: 'certificate' };

export const WEBHOOK_FIELDS = { admissionReviewVersions: ['v1'], sideEffects: 'None' };

export const SERVICE = { namespace: 'system', name: 'hooks' };

export const MUTATING: ConfigurationRef = { kind: 'MutatingWebhookConfiguration', name: 'mutating' };

export const VALIDATING: ConfigurationRef = { kind: 'ValidatingWebhookConfiguration', name: 'validating' };

export const CONFIGURATIONS = [MUTATING, VALIDATING];

export const FAILURE_MESSAGE = 'could not update webhook certificates, will retry';

export const decode = (text = '') => Buffer.from(text, 'base64').toString();

/** An API server with both webhook configurations, and replicas of a manager that share a clock. */
export class WebhookCertificatesHarness implements AsyncDisposable {
  readonly clock = new FakeClock('2030-01-01');
  readonly log = new RecordingLogger();
  readonly server: FakeApiServer;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  private constructor(server: FakeApiServer) {
    this.server = server;
  }

  static async open(): Promise<WebhookCertificatesHarness> {
    const scene = new WebhookCertificatesHarness(await FakeApiServer.start());
    for (const ref of CONFIGURATIONS) scene.configure(ref);
    return scene;
  }

  /** Like {@link open}, with one replica that is ready. */
  static async ready() {
    const scene = await WebhookCertificatesHarness.open();
    return Object.assign(scene, { certificates: await scene.readyReplica() });
  }

  /**
   * Creates a webhook configuration. The webhook of the manager has no caBundle, as in the manifest that a user
   * applies.
   */
  configure(ref: ConfigurationRef): void {
    const ours = { ...WEBHOOK_FIELDS, name: 'ours', clientConfig: { service: SERVICE } };
    const other = {
      ...WEBHOOK_FIELDS,
      name: 'other',
      clientConfig: { service: { ...SERVICE, name: 'x' }, caBundle: 'theirs' },
    };
    this.server.put(getConfigurationResource(ref), { metadata: { name: ref.name }, webhooks: [ours, other] });
  }

  replica(): WebhookCertificates {
    const { clock, log, server } = this;
    const transport = server.connect({ userAgent: 'tester', clock });
    const client = new LiveClient(transport, { fieldManager: 'tester' });
    const names = { secret: SECRET, service: SERVICE, configurations: CONFIGURATIONS };
    const certificates = new WebhookCertificates({ client, transport, clock, log, ...names });
    const run = async () => {
      await certificates.start(this.#stop.signal);
      await transport.close();
    };
    this.#running.push(run());
    return certificates;
  }

  /** Starts a replica, and waits until all webhook configurations trust its certificate. */
  async readyReplica(): Promise<WebhookCertificates> {
    const certificates = this.replica();
    await this.until(() => expect(certificates.check()).toBeUndefined());
    return certificates;
  }

  /** Advances the clock in steps until the assertion succeeds. */
  until<T>(assertion: () => T | Promise<T>, stepMs = 100): Promise<T> {
    const advanceAndAssert = async () => {
      await this.clock.advance(stepMs);
      return await assertion();
    };
    return eventually(advanceAndAssert, { intervalMs: 1 });
  }

  /** Advances only the wall clock, by two thirds of the lifetime of the certificate. */
  async untilRenewal(): Promise<void> {
    this.clock.jumpTo(this.clock.now().getTime() + 61 * DAY_MS);
    await this.until(() => expect(this.steps()).toEqual(['create', 'prepare']), 10_000);
  }

  get secret() {
    const data = this.server.get(core.v1.secrets, SECRET)?.data ?? {};
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, decode(text)]));
  }

  /** Returns the `caBundle` of each webhook of a configuration, starting with the webhook of this manager. */
  caBundles(ref: ConfigurationRef): readonly (string | undefined)[] {
    const webhooks = this.server.get(getConfigurationResource(ref), { name: ref.name })?.webhooks ?? [];
    return webhooks.map(({ clientConfig }) => clientConfig.caBundle);
  }

  /** Asserts that every webhook of this manager trusts the certificates in the Secret. */
  expectTrust(): void {
    const want = this.secret['ca.crt'];
    expect(want).toBeTruthy();
    for (const ref of CONFIGURATIONS) expect(decode(this.caBundles(ref)[0])).toBe(want);
  }

  steps(): readonly unknown[] {
    return this.log.records.flatMap(({ message, fields }) =>
      message === 'stored webhook certificates' ? [fields['step']] : [],
    );
  }

  count(message: string): number {
    return this.log.records.filter((record) => record.message === message).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    await this.server.close();
  }
}

/** Returns the number of certificates in a CA bundle. */
export const countCertificates = (bundle = '') => bundle.split('-----BEGIN').length - 1;
