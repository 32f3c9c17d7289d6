import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../hack/control-plane/free-port.ts';
import { LiveClient } from '../runtime/client/live-client.ts';
import { FakeClock } from '../runtime/clock/fake-clock.ts';
import { HealthChecks } from '../runtime/http/healthz.ts';
import type { Runnable } from '../runtime/manager/runnable-group.ts';
import { PrometheusMetrics } from '../runtime/metrics/prometheus-metrics.ts';
import { admissionReview, postReview } from '../test/support/admission-reviews.ts';
import { eventually } from '../test/support/eventually.ts';
import { RecordingLogger } from '../test/support/recording-logger.ts';
import { RecordingTransport } from '../test/support/recording-transport.ts';
import { writeCertificate } from '../test/support/self-signed-certificate.ts';
import { fingerprintShown } from '../test/support/shown-certificate.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { addWebhooks, type Environment } from './webhooks.ts';

const VALIDATE = '/validate-batch-tutorial-kubebuilder-io-v1-cronjob';
const MUTATE = '/mutate-batch-tutorial-kubebuilder-io-v1-cronjob';

/** What the manager is given for these flags. */
function added(folder: string | undefined, { port = 9443, environment = {} as Environment } = {}) {
  const servers: Runnable[] = [];
  const log = new RecordingLogger();
  const manager = {
    client: new LiveClient(new RecordingTransport()),
    clock: new FakeClock(),
    log,
    metrics: new PrometheusMetrics(),
    readyz: new HealthChecks(),
    addServer: (server: Runnable) => void servers.push(server),
  };
  addWebhooks(manager, { webhookPort: port, webhookCertPath: folder }, environment);
  return { ...manager, servers };
}

function certificateFolder(): string {
  const folder = temporaryFolder();
  writeCertificate(folder);
  return folder;
}

describe('webhooks are off', () => {
  test.each([
    ['without a certificate', undefined, {}, /^to turn them on, give --webhook-cert-path/],
    [
      'when the environment says so',
      '/certs',
      { ENABLE_WEBHOOKS: 'false' },
      /^the environment has ENABLE_WEBHOOKS=false/,
    ],
  ])('%s, and one line says so', (_, folder, environment, reason) => {
    const { servers, readyz, log } = added(folder, { environment });
    expect(servers).toEqual([]);
    expect(readyz.has('webhook')).toBe(false);
    expect(log.records).toEqual([
      { level: 'info', message: 'webhooks are off', fields: { reason: expect.stringMatching(reason) } },
    ]);
  });
});

describe('webhooks are on', () => {
  test.each([{}, { ENABLE_WEBHOOKS: 'true' }, { ENABLE_WEBHOOKS: '' }])(
    'with a certificate and %j',
    async (environment) => {
      const port = await freePort();
      const { servers, readyz } = added(certificateFolder(), { port, environment });
      expect(servers).toHaveLength(1);
      expect(await readyz.run('webhook')).toMatchObject({ reason: 'the webhook server is not serving' });
      const stop = new AbortController();
      const stopped = servers[0]?.start(stop.signal);
      onTestFinished(() => {
        stop.abort();
        return stopped;
      });
      await eventually(async () => expect(await readyz.run('webhook')).toEqual({ name: 'webhook' }));
      const deletion = admissionReview({ operation: 'DELETE' });
      for (const path of [MUTATE, VALIDATE]) {
        expect(await postReview({ port, path, body: deletion })).toMatchObject({
          body: { response: { allowed: true } },
        });
      }
    },
  );

  test('with the certificate that lies in the folder at the time', async () => {
    const [folder, port] = [certificateFolder(), await freePort()];
    const { servers, clock, log } = added(folder, { port });
    const stop = new AbortController();
    const stopped = servers[0]?.start(stop.signal);
    onTestFinished(() => {
      stop.abort();
      return stopped;
    });
    await eventually(() => expect(log.records.map(({ message }) => message)).toContain('listening'));
    const { cert } = writeCertificate(folder);
    await eventually(async () => {
      await clock.advance(10_000);
      expect(await fingerprintShown(port)).toBe(new X509Certificate(cert).fingerprint256);
    });
  });

  test('but without tls.crt the error says what to do', async () => {
    const folder = temporaryFolder();
    const { servers } = added(folder);
    const started = servers[0]?.start(new AbortController().signal);
    await expect(started).rejects.toMatchObject({
      cause: {
        message:
          `webhooks need a certificate: put tls.crt and tls.key into ${folder}, ` +
          'or turn webhooks off with ENABLE_WEBHOOKS=false',
        cause: { message: `read ${join(folder, 'tls.crt')}` },
      },
    });
  });
});
