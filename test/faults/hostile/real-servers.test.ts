/** Ten thousand hostile inputs through real servers: an API server that lets everything in, and the manager as it ships. */
import { Agent } from 'node:https';
import { eventually, writeCertificate } from 'controller-runtime/testing';
import { expect, onTestFinished, test } from 'vitest';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';
import { unmetSlots } from '../../../api/v1/unmet-slots.ts';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { freePort } from '../../../hack/control-plane/free-port.ts';
import { connect } from '../../support/cluster-client.ts';
import { cronJob } from '../../support/cron-jobs.ts';
import { ManagerProcess } from '../../support/manager-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { extent } from '../support/extent.ts';
import { SEED } from '../support/seed.ts';
import { createCronJob, Neighbours } from './support/neighbours.ts';
import { type AnsweredRequest, startPermissiveApiServer } from './support/permissive-api-server.ts';
import { reviewsTarget } from './support/reviews-target.ts';
import { slowSenders } from './support/slow-senders.ts';
import { storm } from './support/storm.ts';
import { attackAsync } from './support/target.ts';

/** The limit of config/manager/manager.yaml. */
const MEMORY_LIMIT_MIB = 512;
const OBJECTS = extent({ all: 2_500, fast: 500 });
const REVIEWS = extent({ all: 2_600, fast: 500 });
const NAMESPACES = 8;
/** What one object may cost: a status for each of its three writes, tries of it that fail ever more rarely, and its Jobs. */
const MAX_STATUS_WRITES = 25;

test('the manager outlives them, loops over none, and neighbours run every slot once', async () => {
  const server = await startPermissiveApiServer(temporaryFolder());
  onTestFinished(server.stop);
  await using cluster = connect(server.kubeconfig);
  const { client, transport } = cluster;
  const [folder, port] = [temporaryFolder(), await freePort()];
  const { cert: ca } = writeCertificate(folder);
  const flags = [`--webhook-cert-path=${folder}`, `--webhook-port=${port}`, '--webhook-shutdown-delay=0s'];
  const memory = { NODE_OPTIONS: `--max-old-space-size=${MEMORY_LIMIT_MIB}` };
  await using manager = new ManagerProcess(server.kubeconfig, flags, memory);
  await manager.logged('listening', { server: 'webhooks' });
  await manager.logged('controller started');
  const namespaces = await createNamespaces(client);
  const neighbours = await Neighbours.create(client, namespaces);
  await neighbours.haveRunMore(1);

  const agent = new Agent({ keepAlive: true, maxSockets: 4, ca });
  onTestFinished(() => agent.destroy());
  const senders = slowSenders({ port, ca, count: 200 });
  onTestFinished(() => senders.stop());
  const [sent] = await Promise.all([
    storm({ transport, namespaces, objects: OBJECTS }),
    reviewsTarget({ port, agent }).then((target) => attackAsync(target, REVIEWS)),
  ]);
  console.log(`objects: ${sent.sent} requests, ${sent.taken} taken, seed ${SEED}; slow senders: ${senders.opened}`);
  senders.stop();

  await neighbours.haveRunMore(2);
  await createCronJob(client, { namespace: namespaces[0]!, name: 'newcomer' }, cronJob({ schedule: '@every 1s' }).spec);
  await eventually(
    async () => {
      const found = await client.list(jobs, { namespace: namespaces[0]! });
      expect(found.some(({ metadata }) => metadata.name.startsWith('newcomer-'))).toBe(true);
    },
    { timeoutMs: 120_000 },
  );
  expect(await manager.probe('/readyz')).toEqual({ status: 200, body: 'ok' });
  expect(await manager.probe('/healthz')).toEqual({ status: 200, body: 'ok' });
  const { runs, superseded, maxLateSeconds } = await neighbours.check();
  console.log(`neighbours: ${runs} runs, ${superseded} slots passed over, at most ${maxLateSeconds} s late`);

  expect(
    manager.lines
      .map((line) => JSON.stringify(line))
      .filter((line) => BROKEN.test(line))
      .slice(0, 3),
  ).toEqual([]);
  const stored = await client.list(cronJobs, {});
  expect(stored.length).toBeGreaterThan(OBJECTS / 2);
  const hot = hottest(server.requests())
    .map(([title, count]) => ({ title, count, object: stored.find(isNamed(title)) }))
    .filter(({ count, object }) => count > MAX_STATUS_WRITES + slotsOf(object));
  expect(hot).toEqual([]);

  manager.signal('SIGTERM');
  expect(await manager.exited).toBe(0);
});

/** What a log line says of an error that nobody has foreseen. */
const BROKEN =
  /TypeError|RangeError|ReferenceError|SyntaxError|transform failed|index function failed|event handler failed/;

type Client = ReturnType<typeof connect>['client'];

async function createNamespaces(client: Client): Promise<readonly string[]> {
  // An object that is taken for a map has the last one already.
  const names = [...Array.from({ length: NAMESPACES - 1 }, (_, index) => `hostile-${index}`), 'constructor'];
  const namespacesOfCluster = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
  for (const name of names) await client.create(namespacesOfCluster, { metadata: { name } });
  return names;
}

/** Hostile objects whose status the manager wrote, or tried to write, more often than it may. */
function hottest(requests: readonly AnsweredRequest[]): readonly (readonly [title: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { user, resource, namespace, name } of requests) {
    if (!user.startsWith('cronjob-operator') || resource !== 'cronjobs/status' || !name.startsWith('hostile-'))
      continue;
    counts.set(`${namespace}/${name}`, (counts.get(`${namespace}/${name}`) ?? 0) + 1);
  }
  expect(counts.size).toBeGreaterThan(OBJECTS / 2);
  const all = [...counts].toSorted(([, a], [, b]) => b - a);
  console.log(`status writes: ${all.slice(0, 3).join('; ')} at most; ${requests.length} requests in all`);
  return all.filter(([, count]) => count > MAX_STATUS_WRITES);
}

function isNamed(title: string): (object: CronJob) => boolean {
  return ({ metadata }) => `${metadata.namespace}/${metadata.name}` === title;
}

/** How often it has been due: each slot may be told of, as of one that is refused every second. */
function slotsOf(object: CronJob | undefined): number {
  const created = parseTime(object?.metadata.creationTimestamp);
  const text: unknown = object?.spec?.schedule;
  if (created === undefined || typeof text !== 'string') return 0;
  const parsed = parseSchedule(text, { anchor: created });
  return parsed.kind === 'ok' ? unmetSlots(parsed.schedule, created, new Date(), MAX_SLOTS).count : 0;
}

/** More than there are seconds. */
const MAX_SLOTS = 10_000;
