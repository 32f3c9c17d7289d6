/** Webhooks that block requests: foreign webhooks that do not respond, and ours when the API server does not answer them. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findApiError, type LiveClient } from 'controller-runtime';
import {
  eventually,
  findFreePort,
  installWebhooks,
  uninstallWebhooks,
  type WebhookInstallation,
  writeCertificate,
} from 'controller-runtime/testing';
import { expect } from 'vitest';
import { cronJobs } from '../../../controllers/resources.ts';
import { CRON_JOB_WEBHOOKS } from '../../../hack/webhook/cronjob-webhooks.ts';
import { AdmissionGate, JOB_CREATES, STATUS_WRITES } from '../../support/admission-gate.ts';
import { newCronJob } from '../../support/cron-jobs.ts';
import { noFault, type ProxyFault } from '../support/api-proxy.ts';
import { type AuditedCall, formatCallKind } from '../support/call.ts';
import type { FaultResultRow } from '../support/results.ts';
import type { Rig } from '../support/rig.ts';
import { Tenant } from '../support/tenant.ts';

const BOUND_MS = 120_000;
/** Longer than the 30 s after which the API server stops waiting for a webhook. */
const HANGS_MS = 35_000;
/** Limit for a slot of another namespace while requests hang. A slow machine takes seconds; a full seat limit takes half a minute. */
const MAX_LATE_MS = 15_000;

/** Fewer than the number of hanging requests. */
const LOW_MAX_IN_FLIGHT = 8;

/** Webhooks of another owner match every Job of one namespace and every status of another, and never answer. */
export async function testHangingWebhooks(rig: Rig): Promise<readonly FaultResultRow[]> {
  const { client } = rig;
  const jobTenant = await Tenant.open(rig, 'hanging-jobs');
  const statusTenant = await Tenant.open(rig, 'hanging-statuses');
  // A namespace with the name of a property of every object must work like any other.
  const neighbour = await Tenant.open(rig, 'constructor');
  const all = [neighbour, jobTenant, statusTenant];
  const flags = [`--max-inflight-requests=${LOW_MAX_IN_FLIGHT}`];
  await neighbour.startManager({ flags, alsoSees: [jobTenant.namespace, statusTenant.namespace] });
  for (const each of all) await each.waitForRunsAfter(Date.now());
  await using jobGate = await AdmissionGate.open(client, { namespaces: [jobTenant.namespace], rules: [JOB_CREATES] });
  await using statusGate = await AdmissionGate.open(client, {
    namespaces: [statusTenant.namespace],
    rules: [STATUS_WRITES],
  });
  const gates = [jobGate, statusGate];
  for (const gate of gates) gate.verdict = () => 'hold';
  await eventually(() => expect(gates.filter(({ pendingCount: held }) => held === 0)).toEqual([]));
  const startedMs = Date.now();
  await sleep(HANGS_MS);
  await neighbour.waitUntilWellThrough(Date.now() - MAX_LATE_MS, 0);
  const lateMs = await neighbour.measureLatestStart(startedMs);
  for (const gate of gates) gate.allowAll();
  const endedMs = Date.now();
  for (const each of all) await each.waitUntilWellAfter(endedMs);
  console.info(`beside webhooks that hang, runs started ${lateMs} ms late at most`);
  expect(lateMs).toBeLessThan(MAX_LATE_MS);
  expect(neighbour.manager.ends).toEqual([]);
  const times = { startedMs, endedMs };
  return [
    jobTenant.createRow('webhook of Jobs hangs', times),
    statusTenant.createRow('webhook of statuses hangs', times),
    neighbour.createRow('webhooks of other namespaces hang', { startedMs }),
  ];
}

/** More than the limit of concurrent dry runs, and more than half of the requests that the manager may have in flight. */
const REVIEWED_NAMESPACES = 10;
const REVIEWS_EACH = 2;
const MAX_IN_FLIGHT = 8;
const DRY_RUN = 'create jobs (dry run)';
/** Calls at low priority. */
const BACKGROUND = ['create events', 'delete jobs', DRY_RUN] as const;

/** Creates many CronJobs while the dry runs of their Jobs get no response: all creates succeed, and no state remains afterwards. */
export async function testHangingDryRuns(rig: Rig): Promise<readonly FaultResultRow[]> {
  const { client } = rig;
  const tenant = await Tenant.open(rig, 'reviewed');
  const names = Array.from({ length: REVIEWED_NAMESPACES }, (_, index) => `reviewed-${index}`);
  for (const name of names) await rig.createNamespace(name);
  const [folder, port] = [mkdtempSync(join(rig.folder, 'webhooks-')), await findFreePort()];
  const { cert: caBundle } = writeCertificate(folder);
  const flags = [`--webhook-cert-path=${folder}`, `--webhook-port=${port}`, `--max-inflight-requests=${MAX_IN_FLIGHT}`];
  await tenant.startManager({ flags, alsoSees: names });
  await tenant.manager.current.waitForLog('listening', { server: 'webhooks' });
  await tenant.waitForRunsAfter(Date.now());
  const installed = names.map((namespace): WebhookInstallation => {
    return { declarations: CRON_JOB_WEBHOOKS, namespace, port, caBundle, only: 'ValidatingWebhookConfiguration' };
  });
  for (const each of installed) await installWebhooks(client, each);
  for (const name of names) await waitUntilCalled(client, name);

  const hang: ProxyFault = { kind: 'Hang', at: 'before' };
  let hanging = 0;
  tenant.proxy.plan = (call) => {
    if (formatCallKind(call) !== DRY_RUN) return noFault();
    hanging++;
    return hang;
  };
  const startedMs = Date.now();
  // The default is to do nothing except the review.
  const create = (namespace: string, name: string, schedule = '@every 8760h') =>
    client.create(cronJobs, newCronJob(namespace, name, schedule));
  // Rejects when the API server stops waiting for the webhook, after ten seconds.
  await Promise.all(
    names.flatMap((namespace) => Array.from({ length: REVIEWS_EACH }, (_, index) => create(namespace, `a-${index}`))),
  );
  expect(hanging).toBeGreaterThan(0);
  await tenant.waitUntilWellThrough(Date.now() - MAX_LATE_MS, MAX_LATE_MS);
  expect(await tenant.measureLatestStart(startedMs)).toBeLessThan(MAX_LATE_MS);

  const namespacesWithCalls = new Set<string>();
  tenant.proxy.plan = (call: AuditedCall) => {
    namespacesWithCalls.add(formatCallKind(call));
    return noFault();
  };
  // The first events of a new object are sent at once.
  await Promise.all(names.map((namespace) => create(namespace, 'b', '@every 5s')));
  await eventually(() => expect([...namespacesWithCalls]).toEqual(expect.arrayContaining([...BACKGROUND])), {
    timeoutMs: BOUND_MS,
  });
  await tenant.waitForRunsAfter(Date.now());
  for (const each of installed) await uninstallWebhooks(client, each);
  expect(tenant.manager.ends).toEqual([]);
  return [tenant.createRow('dry runs of our webhook hang', { startedMs })];
}

/** Resolves when the API server calls our webhook for CronJobs of the namespace. */
async function waitUntilCalled(client: LiveClient, namespace: string): Promise<void> {
  const invalid = newCronJob(namespace, 'wrong', '61 * * * *');
  await eventually(async () => {
    const result: unknown = await client.create(cronJobs, invalid, { dryRun: true }).catch((reason: unknown) => reason);
    expect(findApiError(result)?.code).toBe(422);
  });
}
