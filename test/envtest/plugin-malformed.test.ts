/** CronJobs in etcd that do not fit their type must not break the view of other users. */
import { randomUUID } from 'node:crypto';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { formatTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { connect } from '../../kubectl-tcj/plugin/cluster-session.ts';
import { completeCommandLine } from '../../kubectl-tcj/plugin/completion/complete.ts';
import {
  COMPLETION_REQUEST,
  QUOTED_COMPLETION_REQUEST,
} from '../../kubectl-tcj/plugin/completion/completion-requests.ts';
import type { PageCronJob } from '../../kubectl-tcj/plugin/ui-server/page-messages.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { Scene } from '../support/scene.ts';
import { openUi } from '../support/ui.ts';
import { EtcdObjects } from './support/etcd-objects.ts';
import { tcj } from './support/tcj.ts';

const SPEC = cronJob().spec;
const MALFORMED = {
  'no-spec': {},
  'text-spec': { spec: 'x' },
  'old-spec': { spec: { cron: '* * * * *' } },
  numbers: { spec: { ...SPEC, schedule: 5, timeZone: {}, suspend: 'no', jobTemplate: [] } },
  runs: { spec: SPEC, status: { recentRuns: 5, recentSkips: { a: 1 }, active: 'x', lastRun: [] } },
  conditions: { spec: SPEC, status: { conditions: 'x', nextScheduleTime: 7, activeCount: 'many' } },
  condition: { spec: SPEC, status: { conditions: [5, 'x', {}, { type: 'Degraded' }] } },
  'text-status': { spec: SPEC, status: 'x' },
} as const;
const NAMES = Object.keys(MALFORMED);

/** Stored without validation, beside a valid one. */
async function storeObjects(scene: Scene, objects: Readonly<Record<string, object>>): Promise<void> {
  const { namespace } = scene;
  await scene.createCronJob({ schedule: '0 * * * *' }, 'fine');
  const etcd = new EtcdObjects(inject('etcd'), namespace);
  await etcd.put(
    Object.entries(objects).map(([name, fields]) => {
      const creationTimestamp = formatTime(scene.clock.now());
      const { spec: _, ...whole } = cronJob({}, undefined, { name, namespace, uid: randomUUID(), creationTimestamp });
      return { ...whole, ...fields } as CronJob;
    }),
  );
}

test('list prints a row for each, and the problem on stderr', async () => {
  await using scene = await Scene.open();
  await storeObjects(scene, MALFORMED);
  for (const line of ['list', 'list -A', 'list -o wide']) {
    const { code, out, err } = await tcj(scene, line);
    expect(code).toBe(0);
    expect(out).toMatch(/\bfine +Unobserved /);
    for (const name of NAMES) {
      expect(out).toMatch(new RegExp(`\\b${name} +Malformed`));
      expect(err).toContain(`${scene.namespace}/${name} is malformed: `);
    }
  }
  const { out } = await tcj(scene, 'list -o json');
  const outputs = new Map(JSON.parse(out).map((each: Record<string, string>) => [each['name'], each['why']]));
  expect(outputs.get('no-spec')).toMatch(
    /^The stored object is malformed, so these fields are ignored: spec is missing\. /,
  );
  expect(outputs.get('runs')).toContain('status.recentRuns must be of type array, not 5');
  expect(outputs.get('conditions')).toContain('status.conditions must be of type array, not "x"');
  expect((await tcj(scene, 'list -o name')).out.trimEnd().split('\n')).toHaveLength(NAMES.length + 1);
});

test('each command prints the problem, or the error of the API server', async () => {
  await using scene = await Scene.open();
  await storeObjects(scene, MALFORMED);
  for (const name of NAMES) {
    for (const command of ['why', 'history -o yaml', 'logs', 'resume', 'suspend', 'run']) {
      const { err } = await tcj(scene, `${command} ${name}`);
      expect(err).toContain(`${scene.namespace}/${name} is malformed: `);
      expect(err).not.toMatch(/ at .*\.ts/);
    }
  }
  expect((await tcj(scene, 'why no-spec')).out).toContain('spec is missing');
});

test('the page gets each with its problem', async () => {
  await using scene = await Scene.open();
  await storeObjects(scene, MALFORMED);
  await using ui = await openUi(['-n', scene.namespace], { kubeconfig: inject('kubeconfig') });
  await using events = await ui.browser.events('/api/events');
  await eventually(() => expect(events.listShownCronJobs).toHaveLength(NAMES.length + 1));
  const all: readonly PageCronJob[] = events.received.flatMap(({ data }) => data.changed ?? []);
  const changed = new Map(all.map((each) => [each.metadata.name, each]));
  for (const name of NAMES) expect(changed.get(name)?.invalidValues).not.toEqual([]);
  expect(changed.get('runs')).toMatchObject({ spec: { schedule: SPEC.schedule }, status: {} });
  expect(changed.get('runs')?.status).not.toHaveProperty('recentRuns');
  expect(changed.get('fine')).not.toHaveProperty('invalidValues');
});

test('never completes or prints a name that a shell would run', async () => {
  await using scene = await Scene.open();
  const attack = '$(touch$IFS"made")';
  const time = formatTime(scene.clock.now());
  const runs = [attack, 'a;touch made', 'fine-1'].map((name) => `${time} Failed ${name} Schedule took=1s Error`);
  const conditions = [
    { type: 'Available', status: 'True', reason: 'JobsActive', message: '', lastTransitionTime: time },
  ];
  const lastRun = { jobName: attack, result: 'Failed' };
  const active = [{ name: attack }, { name: '`made`' }];
  await storeObjects(scene, {
    attacked: { spec: SPEC, status: { recentRuns: runs, conditions, lastRun, active, activeCount: 2 } },
  });
  for (const verb of [COMPLETION_REQUEST, QUOTED_COMPLETION_REQUEST]) {
    const words = ['logs', 'attacked', '-n', scene.namespace, '--kubeconfig', inject('kubeconfig'), '--run', ''];
    const { clock } = scene;
    const offered = await completeCommandLine([verb, ...words], {
      clock,
      connect: (options) => connect(options, 'test'),
    });
    expect(offered).toMatch(/^fine-1\tFailed, .*\n:4\n$/);
  }
  for (const line of ['why attacked', 'history attacked', 'logs attacked', 'list -o wide', 'list -o json']) {
    const { out } = await tcj(scene, line);
    expect(out).not.toMatch(/touch|made/);
  }
  expect((await tcj(scene, 'history attacked')).out).toContain(' fine-1 ');
});
