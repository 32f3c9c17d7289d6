/** Ten thousand hostile inputs to real servers: an API server that accepts all of them, and the manager as it ships. */
import { Agent } from 'node:https';
import { eventually, findFreePort, writeCertificate } from 'controller-runtime/testing';
import { expect, onTestFinished, test } from 'vitest';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { VERSION } from '../../../api/v1/groupversion.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';
import { findUnmetSlots } from '../../../api/v1/unmet-slots.ts';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import { newCronJob } from '../../support/cron-jobs.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { chooseExtent } from '../support/extent.ts';
import { Rig } from '../support/rig.ts';
import { SEED } from '../support/seed.ts';
import { createReviewsTarget } from './support/reviews-target.ts';
import { startSlowSenders } from './support/slow-senders.ts';
import { sendStorm } from './support/storm.ts';
import { attackAsync } from './support/target.ts';

/** The limit of config/manager/manager.yaml. */
const MEMORY_LIMIT_MIB = 512;
const OBJECTS = chooseExtent({ all: 2_500, fast: 500 });
const REVIEWS = chooseExtent({ all: 2_600, fast: 500 });
/** The last name is a property of every object that code uses as a map. */
const NAMESPACES = [...Array.from({ length: 7 }, (_, index) => `hostile-${index}`), 'constructor'];
/** Seconds between two slots of a neighbour. There is one neighbour in each namespace. */
const EVERY_SECONDS = 5;
/** The name that the workload gives to the first CronJob of a namespace. */
const NEIGHBOUR = 'allow-0';
/** Limit for one object: a status for each of its three writes, its retries with back-off, and its Jobs. */
const MAX_STATUS_WRITES = 25;

/** A schema that accepts every object. */
const PERMISSIVE = {
  name: VERSION,
  served: true,
  storage: true,
  additionalPrinterColumns: [],
  subresources: { status: {} },
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
} as const;

test('the manager survives hostile objects without loops, and other CronJobs run every slot once', async () => {
  await using rig = await Rig.open({ crdVersions: [PERMISSIVE] });
  const { client, transport } = rig;
  const [folder, port] = [createTemporaryFolder(), await findFreePort()];
  const { cert: ca } = writeCertificate(folder);
  const flags = [`--webhook-cert-path=${folder}`, `--webhook-port=${port}`, '--webhook-shutdown-delay=0s'];
  const manager = await rig.startManager({
    kubeconfig: rig.controlPlane.kubeconfig,
    flags: ['--leader-elect=false', ...flags],
    environment: { NODE_OPTIONS: `--max-old-space-size=${MEMORY_LIMIT_MIB}` },
  });
  await manager.current.waitForLog('listening', { server: 'webhooks' });
  await manager.current.waitForLog('controller started');
  for (const namespace of NAMESPACES) {
    await rig.createWorkload({ namespace, count: 1, everySeconds: EVERY_SECONDS });
    await rig.waitForRunsAfter(0, { namespace, name: NEIGHBOUR });
  }

  const agent = new Agent({ keepAlive: true, maxSockets: 4, ca });
  onTestFinished(() => agent.destroy());
  const senders = startSlowSenders({ port, ca, count: 200 });
  onTestFinished(() => senders.stop());
  const [sent] = await Promise.all([
    sendStorm({ transport, namespaces: NAMESPACES, objects: OBJECTS }),
    createReviewsTarget({ port, agent }).then((target) => attackAsync(target, REVIEWS)),
  ]);
  console.log(
    `objects: ${sent.sent} requests, ${sent.accepted} accepted, seed ${SEED}; slow senders: ${senders.opened}`,
  );
  senders.stop();

  const twoSlotsMs = Date.now() + EVERY_SECONDS * 1000;
  for (const namespace of NAMESPACES) {
    await rig.waitForRunsAfter(twoSlotsMs, { namespace, name: NEIGHBOUR });
    await rig.waitUntilWellThrough(twoSlotsMs, { namespace, name: NEIGHBOUR });
  }
  await client.create(cronJobs, newCronJob('hostile-0', 'newcomer', '@every 1s'));
  await eventually(
    async () => {
      const found = await client.list(jobs, { namespace: 'hostile-0' });
      expect(found.some(({ metadata }) => metadata.name.startsWith('newcomer-'))).toBe(true);
    },
    { timeoutMs: 120_000 },
  );
  expect(await manager.current.probe('/readyz')).toEqual({ status: 200, body: 'ok' });
  expect(await manager.current.probe('/healthz')).toEqual({ status: 200, body: 'ok' });
  const stored = await client.list(cronJobs, {});
  expect(stored.length).toBeGreaterThan(OBJECTS / 2);
  // On a machine that is too slow, a slot is skipped in favour of the next one.
  const neighbours = stored.filter(({ metadata }) => metadata.name === NEIGHBOUR);
  const skips = neighbours.flatMap(({ status }) => status?.recentSkips ?? []);
  expect(skips.filter((line) => line.split(' ')[1] !== 'Superseded')).toEqual([]);

  const lines = manager.current.lines.map((line) => JSON.stringify(line));
  expect(lines.filter((line) => BROKEN.test(line)).slice(0, 3)).toEqual([]);
  expect(await listMostWritten(rig, stored)).toEqual([]);

  expect(manager.ends).toEqual([]);
  const { current } = manager;
  current.signal('SIGTERM');
  expect(await current.exited).toBe(0);
});

/** Text in a log line about an unforeseen error. */
const BROKEN =
  /TypeError|RangeError|ReferenceError|SyntaxError|transform failed|index function failed|event handler failed/;

/** Hostile objects whose status the manager wrote, or tried to write, more often than it may. */
async function listMostWritten({ history }: Rig, stored: readonly CronJob[]): Promise<readonly unknown[]> {
  const { statusWrites } = await history.read();
  const hostile = [...statusWrites].filter(([title]) => title.includes('/hostile-'));
  expect(hostile.length).toBeGreaterThan(OBJECTS / 2);
  console.log(`status writes: ${Math.max(...hostile.map(([, count]) => count))} of one object at most`);
  return hostile
    .map(([title, count]) => ({ title, count, object: stored.find(hasTitle(title)) }))
    .filter(({ count, object }) => count > MAX_STATUS_WRITES + countSlots(object));
}

function hasTitle(title: string): (object: CronJob) => boolean {
  return ({ metadata }) => `${metadata.namespace}/${metadata.name}` === title;
}

/** How often the object has been due: each slot may cause a status write, as in an object that is refused every second. */
function countSlots(object: CronJob | undefined): number {
  const created = parseTime(object?.metadata.creationTimestamp);
  const text: unknown = object?.spec?.schedule;
  if (created === undefined || typeof text !== 'string') return 0;
  const parsed = parseSchedule(text, { anchor: created });
  return parsed.kind === 'ok' ? findUnmetSlots(parsed.schedule, created, new Date(), MAX_SLOTS).count : 0;
}

/** More than the number of seconds in a run. */
const MAX_SLOTS = 10_000;
