import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from 'controller-runtime/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { getServerFingerprint } from '../../test/support/server-fingerprint.ts';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import type { Transport } from '../client/transport.ts';
import { HealthChecks } from '../http/healthz.ts';
import { core } from '../kubernetes/core.ts';
import { apiextensions } from '../kubernetes/extensions.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { customResourceDefinition } from '../manifests/custom-resource-definition.ts';
import { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import { widgetReview, widgets } from '../test-support/objects.ts';
import { Website } from '../test-support/websites.ts';
import { postReview } from '../testing/admission-reviews.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { selfSignedCertificate, writeCertificate } from '../testing/self-signed-certificate.ts';
import { startTestManager } from '../testing/test-manager.ts';
import { addWebhooks, type WebhookEnvironment } from './add-webhooks.ts';
import type { ManagedCertificateOptions, ManagerOptions } from './manager-options.ts';
import type { Runnable } from './runnable-group.ts';

const VALIDATE = '/validate-example-com-v1-widget';
const MUTATE = '/mutate-example-com-v1-widget';

interface Added {
  readonly port?: number;
  readonly environment?: WebhookEnvironment;
  readonly clientCaFile?: string;
  /** Instead of a folder. */
  readonly own?: ManagedCertificateOptions;
  readonly transport?: Transport;
}

/** The manager's servers for a folder with a certificate, or for its own certificates. */
function added(folder: string | undefined, options: Added = {}) {
  const { port = 9443, environment = {}, clientCaFile, own, transport = new RecordingTransport() } = options;
  const servers: Runnable[] = [];
  const log = new RecordingLogger();
  const manager = {
    clock: new FakeClock('2030-01-01'),
    log,
    metrics: new PrometheusMetrics(),
    readyz: new HealthChecks(),
    addServer: (server: Runnable) => void servers.push(server),
  };
  const certificates = own ?? (folder === undefined ? undefined : { folder });
  const webhooks: ManagerOptions['webhooks'] =
    certificates === undefined ? { off: 'no certificate' } : { certificates, port, clientCaFile, shutdownDelayMs: 0 };
  const registrar = addWebhooks({ manager, transport }, { name: 'widget-operator', webhooks }, environment);
  registrar.for(widgets, { default: (widget) => widget, validate: () => [] });
  registrar.convert(Website);
  return { ...manager, servers };
}

function certificateFolder(): string {
  const folder = createTemporaryFolder();
  writeCertificate(folder);
  return folder;
}

describe('webhooks are off', () => {
  test.each([
    ['without a certificate', undefined, {}, /^no certificate$/],
    [
      'when the environment says so',
      '/certs',
      { ENABLE_WEBHOOKS: 'false' },
      /^the environment variable ENABLE_WEBHOOKS is false/,
    ],
  ])('%s, and one log line says why', (_, folder, environment, reason) => {
    const { servers, readyz, log } = added(folder, { environment });
    expect(servers).toEqual([]);
    expect(readyz.has('webhook')).toBe(false);
    expect(log.records).toEqual([
      { level: 'info', message: 'webhooks are off', fields: { reason: expect.stringMatching(reason) } },
    ]);
  });
});

/** Runs the added servers until the test has finished. */
function running({ servers }: ReturnType<typeof added>): () => Promise<void> {
  const stopping = new AbortController();
  const ended = servers.map((server) => server.start(stopping.signal));
  const stop = async () => {
    stopping.abort();
    await Promise.all(ended);
  };
  onTestFinished(stop);
  return stop;
}

/** The error of a server that cannot start. */
const failure = ({ servers }: ReturnType<typeof added>) => servers[0]?.start(new AbortController().signal);

describe('webhooks are on', () => {
  test.each([{}, { ENABLE_WEBHOOKS: 'true' }, { ENABLE_WEBHOOKS: '' }])(
    'with a certificate and %j',
    async (environment) => {
      const port = await findFreePort();
      const manager = added(certificateFolder(), { port, environment });
      const { readyz } = manager;
      expect(await readyz.run('webhook')).toMatchObject({ reason: 'the webhook server is not serving' });
      running(manager);
      await eventually(async () => expect(await readyz.run('webhook')).toEqual({ name: 'webhook' }));
      const deletion = widgetReview({ operation: 'DELETE' });
      for (const path of [MUTATE, VALIDATE]) {
        expect(await postReview({ port, path, body: deletion })).toMatchObject({
          body: { response: { allowed: true } },
        });
      }
    },
  );

  test('only for the API server if its CA is set', async () => {
    const [folder, port, apiServer] = [
      certificateFolder(),
      await findFreePort(),
      selfSignedCertificate('kube-apiserver'),
    ];
    const path = join(createTemporaryFolder(), 'ca.crt');
    writeFileSync(path, apiServer.cert);
    const manager = added(folder, { port, clientCaFile: path });
    running(manager);
    await eventually(() => expect(manager.log.records.map(({ message }) => message)).toContain('listening'));
    await expect(postReview({ port, path: VALIDATE, body: widgetReview() })).rejects.toThrow();
  });

  test('and report a missing CA file with its fix', async () => {
    await expect(failure(added(certificateFolder(), { clientCaFile: '/none' }))).rejects.toMatchObject({
      cause: { message: expect.stringContaining('into /none, or remove --webhook-client-ca-file') },
    });
  });

  test('and report a missing tls.crt with its fix', async () => {
    const folder = createTemporaryFolder();
    await expect(failure(added(folder))).rejects.toMatchObject({
      cause: {
        message:
          `webhooks need a certificate: put tls.crt and tls.key into ${folder}, ` +
          'or turn webhooks off with ENABLE_WEBHOOKS=false',
        cause: { message: `read ${join(folder, 'tls.crt')}` },
      },
    });
  });
});

describe('with its own certificates', () => {
  const OWN = { secret: 'certificate', namespace: 'system', service: 'hooks', validForMs: 48 * 3_600_000 };
  const SECRET = { namespace: 'system', name: 'certificate' };

  /** A manager on a fake API server, started; `stop` resolves when it has ended. */
  async function started(arrange: (server: FakeApiServer) => void = () => {}) {
    const [server, port] = [await FakeApiServer.start(), await findFreePort()];
    arrange(server);
    const transport = server.connect({ userAgent: 'tester', clock: new FakeClock() });
    onTestFinished(async () => {
      await transport.close();
      await server.close();
    });
    const manager = added(undefined, { port, transport, own: OWN });
    return { ...manager, server, port, stop: running(manager) }; // the last registered callback runs first
  }

  test("it serves the stored certificate, with the service's name and the lifetime of the options", async () => {
    const { server, port, readyz } = await started();
    await eventually(async () => {
      for (const check of ['webhook', 'webhook-certificate']) expect(await readyz.run(check)).toEqual({ name: check });
    });
    const stored = new X509Certificate(
      Buffer.from(server.get(core.v1.secrets, SECRET)?.data?.['tls.crt'] ?? '', 'base64'),
    );
    expect(stored.subjectAltName).toBe('DNS:hooks.system.svc, DNS:hooks.system.svc.cluster.local');
    expect(stored.validToDate).toEqual(new Date('2030-01-03'));
    expect(await getServerFingerprint(port)).toBe(stored.fingerprint256);
  });

  test("it sets the caBundle of the configurations with the manager's name", async () => {
    const { server } = await started();
    const named = (plural: string, name: string) =>
      eventually(() =>
        expect(server.count({ path: `/apis/admissionregistration.k8s.io/v1/${plural}/${name}` })).toBeGreaterThan(0),
      );
    await named('mutatingwebhookconfigurations', 'widget-operator-mutating-webhook-configuration');
    await named('validatingwebhookconfigurations', 'widget-operator-validating-webhook-configuration');
  });

  test('it sets the caBundle of the CRD of a kind with several versions', async () => {
    const { customResourceDefinitions } = apiextensions.v1;
    const crd = customResourceDefinition(Website, {}, { service: { name: 'hooks', namespace: 'system' } });
    const { server } = await started((server) => void server.put<KubernetesObject>(customResourceDefinitions, crd));
    await eventually(() => {
      const { 'ca.crt': bundle } = server.get(core.v1.secrets, SECRET)?.data ?? {};
      expect(bundle).toBeTruthy();
      const { conversion } = server.get(customResourceDefinitions, crd.metadata)?.spec ?? {};
      expect(conversion?.webhook).toEqual({
        clientConfig: { service: { name: 'hooks', namespace: 'system', path: '/convert' }, caBundle: bundle },
        conversionReviewVersions: ['v1'],
      });
    });
  });

  test('it is not ready without the permissions, says why, and stops in order', async () => {
    const forbidden = { kind: 'error', code: 403 } as const;
    const { readyz, stop, log } = await started((server) => {
      for (let i = 0; i < 9; i++) server.fail({ verb: 'create' }, forbidden);
    });
    await eventually(async () =>
      expect(await readyz.run('webhook-certificate')).toMatchObject({
        reason: 'there is no certificate yet: injected fault',
      }),
    );
    expect(await readyz.run('webhook')).toMatchObject({ reason: 'the webhook server is not serving' });
    await stop();
    expect(log.records.map(({ message }) => message)).not.toContain('listening');
  });

  test('the start fails without a namespace', async () => {
    await expect(failure(added(undefined, { own: {} }))).rejects.toThrow('set --webhook-namespace');
  });

  test('it does nothing if the environment turns webhooks off', () => {
    const { servers, readyz } = added(undefined, { own: OWN, environment: { ENABLE_WEBHOOKS: 'false' } });
    expect(servers).toEqual([]);
    expect(readyz.has('webhook-certificate')).toBe(false);
  });
});

test('a manager whose controllers see only Secrets with a label serves webhooks after a restart', async () => {
  await using server = await FakeApiServer.start({ kinds: [Website] });
  for (const _ of ['start', 'restart']) {
    const log = new RecordingLogger();
    const certificates = { namespace: 'system', secretName: 'certificate', serviceName: 'webhooks' };
    await using _manager = await startTestManager({
      cluster: server,
      log,
      webhooks: { certificates, port: await findFreePort(), shutdownDelayMs: 0 },
      setUp: (manager) => {
        manager
          .controller('website')
          .for(Website)
          .owns(core.v1.secrets, { labelSelector: { matchLabels: { app: 'website' } } })
          .reconcile(async () => {});
        manager.webhooks.for(Website, { validate: () => [] });
      },
    });
    await eventually(() => expect(log.records).toContainEqual(expect.objectContaining({ message: 'listening' })));
  }
});
