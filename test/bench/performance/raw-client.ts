/**
 * The minimum of work at a tick, without a controller: the maximum speed of the API server and a plain client on this machine. A separate
 * process, started by drivers.ts.
 *
 *     raw-client.ts <time>    creates a Job of every CronJob at that time, and after the last Job writes every status
 *
 * The Jobs and statuses are those of this operator. The client reads and prepares everything before, so that only the requests are
 * measured.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { resourcePath } from 'controller-runtime/kubernetes';
import { Pool } from 'undici';
import type { Job } from '../../../api/kubernetes.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseCronJob } from '../../../api/v1/stored-cronjob.ts';
import { conclude } from '../../../controllers/cronjob/conclude.ts';
import { decide } from '../../../controllers/cronjob/decide.ts';
import { assess } from '../../../controllers/cronjob/facts.ts';
import { buildSlotJob } from '../../../controllers/cronjob/new-job.ts';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { connect, loadCredentials } from '../../support/cluster-client.ts';

const JOB_UID = '00000000-0000-4000-8000-000000000000';
const WORKERS = 16;
/** The client opens its connections this long before the tick: a controller has open connections. */
const WARM_UP_MS = 3_000;
const WARM_UP_REQUESTS = 20 * WORKERS;
const KEEP_ALIVE_MS = 60_000;
/** In the last moments before a time, timers are not precise enough. */
const SPIN_MS = 20;
/** The process stays alive for this long after the work, for the measurement. */
const MEASURED_MS = 900_000;

const kubeconfig = process.env['KUBECONFIG'] ?? '';

/** One request, prepared before its time. */
interface PreparedRequest {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: Buffer;
}

async function burst(due: Date): Promise<void> {
  await using cluster = connect(kubeconfig);
  const all = (await cluster.client.list(cronJobs)).map(parseCronJob);
  const creates = all.map((cronJob) =>
    prepareRequest('POST', resourcePath(jobs, getNamespace(cronJob)), buildSlotJob(cronJob, due)),
  );
  const writes = all.map((cronJob) => {
    const path = resourcePath(cronJobs, getNamespace(cronJob), cronJob.metadata.name, 'status');
    return prepareRequest('PUT', path, computeStatusAfterRun(cronJob, due));
  });
  const { server, tls, headers } = await loadCredentials(kubeconfig).current();
  const pool = new Pool(server.origin, { connections: WORKERS, keepAliveTimeout: KEEP_ALIVE_MS, connect: { ...tls } });
  const send = async ({ method, path, body }: PreparedRequest) => {
    const requestHeaders = { ...headers, 'content-type': 'application/json', accept: 'application/json' };
    const response = await pool.request({ method, path, body, headers: requestHeaders });
    if (response.statusCode >= 300)
      throw new Error(`${method} ${path}: ${response.statusCode} ${await response.body.text()}`);
    await response.body.dump();
  };
  const warmUp = async () => {
    const response = await pool.request({ method: 'GET', path: '/version', headers });
    await response.body.dump();
  };
  console.log('prepared', creates.length);
  await sleep(due.getTime() - Date.now() - WARM_UP_MS);
  await runInParallel(Array.from({ length: WARM_UP_REQUESTS }), warmUp);
  await sleep(due.getTime() - Date.now() - SPIN_MS);
  while (Date.now() < due.getTime());
  await runInParallel(creates, send);
  await runInParallel(writes, send);
  console.log('done');
  await sleep(MEASURED_MS);
}

function prepareRequest(method: PreparedRequest['method'], path: string, object: object): PreparedRequest {
  return { method, path, body: Buffer.from(JSON.stringify(object)) };
}

/** Body of the request with the status that this operator writes after it has started a Job. */
function computeStatusAfterRun(cronJob: CronJob, due: Date): object {
  const facts = assess({ cronJob, jobs: [] }, due);
  const job = buildSlotJob(cronJob, due);
  const created = { ...job, metadata: { ...job.metadata, uid: JOB_UID } } as unknown as Job; // as the API server returns it
  const { status } = conclude(facts, decide(facts), { started: { kind: 'Created', job: created }, replaced: [] });
  const { apiVersion, kind, metadata } = cronJob;
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, status };
}

function getNamespace({ metadata }: CronJob): string {
  return metadata.namespace;
}

async function runInParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}

await burst(new Date(process.argv[2] ?? ''));
