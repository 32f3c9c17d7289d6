/** Thousands of hostile objects for a real API server: creates each, changes it, and writes its status. */
import { findApiError, type Transport } from 'controller-runtime';
import { resourcePath } from 'controller-runtime/kubernetes';
import fc from 'fast-check';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../../api/v1/groupversion.ts';
import { cronJobs } from '../../../../controllers/resources.ts';
import { cronJob } from '../../../support/cron-jobs.ts';
import { SEED } from '../../support/seed.ts';
import { CRON_JOB_TEXTS } from './cron-job-texts.ts';
import { anyValue, applyEdits, editsWith, type Json, type JsonEdit, WELL_FORMED_TEXTS } from './json.ts';

interface HostileObject {
  readonly base: number;
  readonly created: readonly JsonEdit[];
  readonly changed: readonly JsonEdit[];
  readonly status: readonly JsonEdit[];
  readonly annotations: Readonly<Record<string, string>>;
}

const someEdits = editsWith(anyValue, 4);
const hostileObject: fc.Arbitrary<HostileObject> = fc.record({
  base: fc.nat(CRON_JOB_TEXTS.length - 1),
  created: someEdits,
  changed: someEdits,
  status: someEdits,
  annotations: fc.dictionary(
    fc.constantFrom(RUN_NOW_ANNOTATION, RESUME_ANNOTATION, TAKES_OVER_FROM_ANNOTATION),
    fc.constantFrom(...WELL_FORMED_TEXTS),
    { noNullPrototype: true },
  ),
});

/** Number of requests, and number of requests that the API server accepted. */
export interface Storm {
  sent: number;
  accepted: number;
}

interface StormOptions {
  readonly transport: Transport;
  readonly namespaces: readonly string[];
  readonly objects: number;
}

/** More concurrent requests would only wait in the API server. */
const WORKERS = 12;

/** Sends three requests for each object. Rejects when the API server does not respond; a refusal is a response. */
export async function sendStorm({ transport, namespaces, objects }: StormOptions): Promise<Storm> {
  const all = fc.sample(hostileObject, { seed: SEED, numRuns: objects });
  const storm: Storm = { sent: 0, accepted: 0 };
  const entries = all.entries();
  const worker = async () => {
    for (const [index, object] of entries) {
      const namespace = namespaces[index % namespaces.length] ?? 'default';
      await sendAll(transport, { namespace, name: `hostile-${index}`, object }, storm);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return storm;
}

interface StormTarget {
  readonly namespace: string;
  readonly name: string;
  readonly object: HostileObject;
}

async function sendAll(transport: Transport, { object, ...key }: StormTarget, storm: Storm): Promise<void> {
  const { base, annotations } = object;
  const [created, changed, status] = [object.created, object.changed, object.status].map((edits) =>
    fields(base, edits),
  );
  const { apiVersion, kind } = cronJob();
  const body = { apiVersion, kind, metadata: key, ...created };
  const path = resourcePath(cronJobs, key.namespace, key.name);
  await send(storm, () => transport.request({ method: 'POST', path: resourcePath(cronJobs, key.namespace), body }));
  const edit = [set('/metadata/annotations', annotations), set('/spec', changed?.spec)];
  await send(storm, () => transport.request({ method: 'PATCH', path, contentType: JSON_PATCH, body: edit }));
  const report = [set('/status', status?.status)];
  const statusPath = `${path}/status`;
  await send(storm, () =>
    transport.request({ method: 'PATCH', path: statusPath, contentType: JSON_PATCH, body: report }),
  );
}

/** The write has no resource version, because the manager changes the object meanwhile. */
const JSON_PATCH = 'application/json-patch+json';

function set(path: string, value: unknown): object {
  return { op: 'add', path, value };
}

async function send(storm: Storm, request: () => Promise<unknown>): Promise<void> {
  storm.sent++;
  try {
    await request();
    storm.accepted++;
  } catch (error) {
    if (findApiError(error) === undefined) throw error;
  }
}

function fields(base: number, edits: readonly JsonEdit[]): { readonly spec: Json; readonly status: Json } {
  const edited = applyEdits(CRON_JOB_TEXTS[base] ?? '', edits);
  const { spec = null, status = null } = isObject(edited) ? edited : {};
  return { spec, status };
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
