/**
 * What 1,000 hostile reviews in parallel, and 1,000 refused creates with the longest fields allowed, cost a manager with the memory of
 * config/manager.
 *
 *     npm run bench:hostile-webhooks
 *
 * Prints the most memory, how long a good review took meanwhile, and how many runs started. Fails when the manager dies, when a good
 * review is not answered, or when no run starts.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { MAX_SCHEDULE_LENGTH, MAX_TIME_ZONE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { cronJobs, jobs } from '../../controllers/resources.ts';
import { freePort } from '../../hack/control-plane/free-port.ts';
import type { LiveClient } from '../../runtime/client/live-client.ts';
import { admissionReview, postReview } from '../support/admission-reviews.ts';
import { connect } from '../support/cluster-client.ts';
import { eventually } from '../support/eventually.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { writeCertificate } from '../support/self-signed-certificate.ts';
import { installDefinition } from './install-definition.ts';

const PATH = '/validate-batch-tutorial-kubebuilder-io-v1-cronjob';
const MIB = 1024 * 1024;
const EACH = 250;
const REFUSED_CREATES = 1000;
/** The limit of config/manager/manager.yaml. */
const MEMORY_LIMIT_MIB = 512;
const GOOD_REVIEWS = 40;

const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) throw new Error('KUBECONFIG is not set: run this as `npm run bench:hostile-webhooks`');

async function main(path: string): Promise<void> {
  await using cluster = connect(path);
  await installDefinition(cluster.client);
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'hostile-')), await freePort()];
  writeCertificate(folder);
  const flags = [`--webhook-cert-path=${folder}`, `--webhook-port=${port}`, '--webhook-shutdown-delay=0s'];
  await using manager = new ManagerProcess(path, flags, { NODE_OPTIONS: `--max-old-space-size=${MEMORY_LIMIT_MIB}` });
  await manager.logged('listening', { server: 'webhooks' });
  await cluster.client.create(cronJobs, everySecond());
  await eventually(async () => {
    if ((await runs(cluster.client)) === 0) throw new Error('no run yet');
  });
  const before = { runs: await runs(cluster.client), mib: residentMib(manager.pid, 'VmRSS') };
  const isOver = { value: false };
  const codes = flood(port).finally(() => {
    isOver.value = true;
  });
  const tookMs: number[] = [];
  let whileFlooded = 0;
  for (let count = 0; count < GOOD_REVIEWS || !isOver.value; count++) {
    const startedMs = performance.now();
    await eventually(() => goodReview(port));
    tookMs.push(performance.now() - startedMs);
    if (!isOver.value) whileFlooded++;
  }
  console.log(`answers                ${JSON.stringify(count(await codes))}`);
  tookMs.sort((a, b) => a - b);
  const median = tookMs[Math.floor(tookMs.length / 2)] ?? 0;
  console.log(`good reviews           ${tookMs.length}, ${whileFlooded} of them while hostile ones were under way`);
  console.log(`                       median ${median.toFixed(0)} ms, slowest ${(tookMs.at(-1) ?? 0).toFixed(0)} ms`);
  console.log(
    `resident before, most  ${before.mib} MiB, ${residentMib(manager.pid, 'VmHWM')} MiB of ${MEMORY_LIMIT_MIB}`,
  );
  const started = (await runs(cluster.client)) - before.runs;
  console.log(`runs started meanwhile ${started}`);
  if (started === 0) throw new Error('no run started');
  if (residentMib(manager.pid, 'VmHWM') > MEMORY_LIMIT_MIB) throw new Error('more memory than the manager has');
}

async function flood(port: number): Promise<readonly string[]> {
  const answers = (posts: readonly Promise<string>[]) => Promise.all(posts.map((each) => each.catch(() => 'closed')));
  return [...(await answers(hostileReviews(port))), ...(await answers(refusedCreates(port)))];
}

/** Large bodies, deep ones, ones full of faults, and slow senders, of each 250. Each resolves with what came of it. */
function hostileReviews(port: number): readonly Promise<string>[] {
  const bodies = [
    JSON.stringify(admissionReview()).padEnd(3 * MIB),
    `{"request":${'[{"a":'.repeat(500_000)}`,
    JSON.stringify(review(withTemplate(Array(99_000).fill(0)))),
  ];
  const posts = bodies.flatMap((body) => Array.from({ length: EACH }, () => codeOf(port, body)));
  return [...Array.from({ length: EACH }, () => slowSender(port)), ...posts];
}

function refusedCreates(port: number): readonly Promise<string>[] {
  const spec = { schedule: 'x'.repeat(MAX_SCHEDULE_LENGTH), timeZone: 'y'.repeat(MAX_TIME_ZONE_LENGTH) };
  return Array.from({ length: REFUSED_CREATES }, (_, index) => {
    const { schedule, timeZone } = spec;
    const own = { schedule: `${index}${schedule}`.slice(0, MAX_SCHEDULE_LENGTH), timeZone };
    return codeOf(
      port,
      JSON.stringify(review({ ...own, timeZone: `${index}${timeZone}`.slice(0, MAX_TIME_ZONE_LENGTH) })),
    );
  });
}

async function codeOf(port: number, body: string): Promise<string> {
  const headers = { 'content-length': Buffer.byteLength(body) };
  return String((await postReview({ port, path: PATH, body, headers })).code);
}

function slowSender(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => {}).on('close', () => resolve('closed'));
    socket.on('data', (answer) => resolve(String(answer).slice(9, 12)));
    const type = 'content-type: application/json';
    socket.write(`POST ${PATH} HTTP/1.1\r\nhost: a\r\n${type}\r\ncontent-length: ${3 * MIB}\r\n\r\n{"request":`);
  });
}

async function goodReview(port: number): Promise<void> {
  const body = review({ schedule: '0 * * * *', suspend: true });
  const { code } = await postReview({ port, path: PATH, body });
  if (code !== 200) throw new Error(`a good review was answered with ${code}`);
}

function review(spec: object): object {
  const kind = { group: API_VERSION.split('/')[0], version: 'v1', kind: KIND };
  const object = { apiVersion: API_VERSION, kind: KIND, metadata: { name: 'a', namespace: 'default' }, spec };
  return admissionReview({ object, request: { kind } });
}

function withTemplate(containers: readonly unknown[]): object {
  return { schedule: '0 * * * *', jobTemplate: { spec: { template: { spec: { containers } } } } };
}

function everySecond(): CronJob {
  const podSpec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] };
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name: 'every-second', namespace: 'default' },
    spec: { schedule: '@every 1s', concurrencyPolicy: 'Allow', jobTemplate: { spec: { template: { spec: podSpec } } } },
  } as unknown as CronJob; // the API server fills in the rest
}

async function runs(client: LiveClient): Promise<number> {
  return (await client.list(jobs, { namespace: 'default' })).length;
}

function residentMib(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kib] = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}

function count(codes: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

await main(kubeconfig);
