/** Managers that create their own certificates, and a real API server that must trust them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HttpTransport, parseFlags, toManagerOptions } from 'controller-runtime';
import { getConfigurationResource } from 'controller-runtime/internal';
import {
  admissionReview,
  eventually,
  FakeClock,
  postReview,
  RecordingLogger,
  startTestManager,
} from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { MANAGER_PROGRAM, OPERATOR_NAME } from '../../cmd/flags.ts';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';
import { connect } from '../support/cluster-client.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { getServerFingerprint } from '../support/server-fingerprint.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import './support/provided.ts';
import { CertificateInstallation } from './support/webhook-installation.ts';

const PATH = '/validate-batch-tutorial-kubebuilder-io-v1-cronjob';
const DAY_MS = 86_400_000;
/** Enough calls to last through one check of the managers and its consequences. */
const CALLS_PER_STEP = 5;

const authorities = (bundle = '') => bundle.split('-----BEGIN').length - 1;

describe('two managers that start at once', () => {
  test('agree on one certificate with their documented permissions, and the API server trusts both', async () => {
    await using installation = await CertificateInstallation.open();
    const kubeconfig = await installation.createKubeconfig();
    const [one = 0, other = 0] = installation.ports;
    const clientCa = join(createTemporaryFolder(), 'client-ca.crt');
    writeFileSync(clientCa, inject('webhookClientCa'));
    const flags = (port: number) => [...installation.flags(port), `--webhook-client-ca-file=${clientCa}`];
    await using first = new ManagerProcess(kubeconfig, flags(one));
    await using second = new ManagerProcess(kubeconfig, flags(other));
    await Promise.all([first.waitUntilReady(), second.waitUntilReady()]);
    await installation.waitUntilAnswering();
    // A client without a certificate, like the API server.
    const body = admissionReview({ operation: 'DELETE' });
    await expect(postReview({ port: one, path: PATH, body })).rejects.toThrow();
    expect(await getServerFingerprint(one)).toBe(await getServerFingerprint(other));
    expect(authorities((await installation.readSecret())['ca.crt'])).toBe(1);
    for (const manager of [first, second]) {
      manager.signal('SIGTERM');
      expect(await manager.exited).toBe(0);
      expect(manager.lines.filter((line) => line['level'] === 'error')).toEqual([]);
      expect(JSON.stringify(manager.lines)).not.toContain('forbidden');
    }
  });

  test('restore what another client removes from a configuration', async () => {
    await using installation = await CertificateInstallation.open();
    const { client } = installation.scene;
    const managers = installation.ports.map(
      (port) => new ManagerProcess(inject('kubeconfig'), installation.flags(port)),
    );
    await using first = managers[0]!;
    await using _second = managers[1]!;
    await first.waitForLog('started using a new webhook certificate');
    await installation.waitUntilAnswering();
    const [bundle] = await installation.readTrustedBundles();
    for (const ref of installation.refs) {
      const { webhooks } = installation.createConfiguration(ref);
      await client.patch(getConfigurationResource(ref), ref, { kind: 'merge', body: { webhooks } });
    }
    await eventually(async () => expect(await installation.readTrustedBundles()).toEqual([bundle]));
    await installation.waitUntilAnswering();
  });
});

test('no call fails while certificates are renewed, and only the new one is trusted afterwards', async () => {
  await using installation = await CertificateInstallation.open();
  // So far in the past that a certificate created two thirds of a lifetime later is valid today, because the API server uses today's date.
  const clock = new FakeClock(Date.now() - 61 * DAY_MS);
  // The policies let the account change only the caBundle of the configurations.
  await using replicas = await startReplicas(installation, clock, await installation.createKubeconfig());
  const renewed = ['prepare', 'switch', 'retire'];
  await eventually(async () => {
    await clock.advance(1000);
    expect(await replicas.reasonsAgainst()).toEqual([]);
  });
  await installation.waitUntilAnswering();
  const old = await installation.readSecret();
  clock.jumpTo(clock.now().getTime() + 60 * DAY_MS);
  const failures: string[] = [];
  let calls = 0;
  await eventually(
    async () => {
      // Not during a call: a check has eight seconds of this clock.
      await clock.advance(60_000);
      for (let call = 0; call < CALLS_PER_STEP; call++, calls++) {
        await installation.createOnNewConnections().catch((error) => failures.push(String(error)));
      }
      expect(replicas.steps()).toEqual(['create', ...renewed]);
    },
    { intervalMs: 0 },
  );
  expect(failures).toEqual([]);
  expect(calls).toBeGreaterThan(20 * CALLS_PER_STEP);
  const secret = await installation.readSecret();
  await eventually(async () => {
    await clock.advance(1000);
    expect(await installation.readTrustedBundles()).toEqual([secret['ca.crt']]);
  });
  expect(old['ca.crt']).not.toContain(secret['ca.crt']);
  expect(authorities(secret['ca.crt'])).toBe(1);
  await installation.waitUntilAnswering();
  const [one = 0, other = 0] = installation.ports;
  expect(await getServerFingerprint(one)).toBe(await getServerFingerprint(other));
  expect(replicas.log.errors).toEqual([]);
});

/** The webhooks of two managers as the flags configure them, in this process and on one clock. */
async function startReplicas(installation: CertificateInstallation, clock: FakeClock, kubeconfig: string) {
  const log = new RecordingLogger();
  const transports: HttpTransport[] = [];
  const cluster = {
    connect: () => {
      const { transport } = connect(kubeconfig);
      transports.push(transport);
      return transport;
    },
  };
  const started = await Promise.all(
    installation.ports.map((port) => {
      const parsed = parseFlags(MANAGER_PROGRAM, installation.flags(port));
      if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
      const { webhooks } = toManagerOptions(parsed.flags);
      return startTestManager({
        cluster,
        name: OPERATOR_NAME,
        clock,
        log,
        ...(webhooks && { webhooks }),
        setUp: (manager) => setupWebhooksWithManager(manager.webhooks, manager),
      });
    }),
  );
  const listTlsErrors = async () => {
    const results = await Promise.all(started.map(({ manager }) => manager.readyz.runAll(new Set())));
    return results.flat().flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  };
  return {
    log,
    reasonsAgainst: listTlsErrors,
    steps: () => log.records.flatMap(({ fields }) => (fields['step'] === undefined ? [] : [fields['step']])),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(started.map(({ stop }) => stop()));
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}
