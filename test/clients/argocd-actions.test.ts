/** The actions that Argo CD offers for a CronJob: on real objects, with a manager that acts on them. */
import { expect, test } from 'vitest';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { Scene } from '../support/scene.ts';
import { applyAction, getHealth, listActions, listDefinedActions } from './support/argo-cd.ts';

/** Does what Argo CD does when a user chooses the action. */
async function performAction(scene: Scene, action: string): Promise<void> {
  const before = await scene.cronJob();
  await scene.patch(mergePatch(before, applyAction(action, before)));
}

/** The difference of the two objects, as a merge patch: null removes a field. */
function mergePatch(before: object, after: object): object {
  const [left, right] = [before, after] as Record<string, unknown>[];
  const names = Object.keys({ ...left, ...right }).filter((name) => !isEqual(left?.[name], right?.[name]));
  return Object.fromEntries(
    names.map((name) => {
      const [old, value] = [left?.[name], right?.[name]];
      return [name, isObject(old) && isObject(value) ? mergePatch(old, value) : (value ?? null)];
    }),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lua does not distinguish an empty object from an empty list; Argo CD restores the original type. */
function isEqual(left: unknown, right: unknown): boolean {
  if (isObject(left) && Object.keys(left).length === 0 && Array.isArray(right)) return right.length === 0;
  if (isObject(left) && isObject(right)) return Object.keys(mergePatch(left, right)).length === 0;
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right;
  return left.length === right.length && left.every((each, index) => isEqual(each, right[index]));
}

test('every offered action is defined', () => {
  const offered = [cronJob(), cronJob({ suspend: true })].flatMap(listActions);
  expect([...new Set(offered)].sort()).toEqual([...listDefinedActions()].sort());
});

test('the offered actions depend on the state of the CronJob', () => {
  expect(listActions(cronJob())).toEqual(['run-now', 'suspend']);
  expect(listActions(cronJob({ suspend: true }))).toEqual(['resume', 'run-now']);
  expect(listActions({ ...cronJob(), status: null })).toEqual(['run-now', 'suspend']);
});

test('an action changes exactly one field', () => {
  const pod = { restartPolicy: 'Never', volumes: [{ name: 'v', emptyDir: {} }] };
  const original = cronJob({ jobTemplate: { spec: { template: { spec: pod } } } } as never);
  expect(mergePatch(original, applyAction('suspend', original))).toEqual({ spec: { suspend: true } });
  expect(mergePatch(original, applyAction('run-now', original))).toEqual({
    metadata: { annotations: { [RUN_NOW_ANNOTATION]: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) } },
  });
  const annotated = cronJob({}, undefined, { annotations: { a: 'b' } });
  expect(applyAction('run-now', annotated).metadata.annotations).toMatchObject({ a: 'b' });
});

test('suspend, run now and resume work', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  await scene.createCronJob({ schedule: '0 0 1 1 *', suspendUntil: '2099-01-01T00:00:00Z' });
  await scene.waitUntilObserved();
  expect(listActions(await scene.cronJob())).toEqual(['resume', 'run-now', 'suspend']);

  await performAction(scene, 'suspend');
  await scene.waitUntilObserved();
  const suspended = await scene.cronJob();
  expect(suspended.spec).toMatchObject({ suspend: true });
  expect(suspended.spec).not.toHaveProperty('suspendUntil');
  expect(getHealth(suspended)).toEqual({ status: 'Healthy', message: 'Suspended: spec.suspend is true' });

  await performAction(scene, 'run-now');
  await scene.waitForJobs(1);

  await performAction(scene, 'resume');
  await scene.waitUntilObserved();
  const resumed = await scene.cronJob();
  expect([resumed.spec.suspend, getHealth(resumed).status]).toEqual([false, 'Healthy']);
  expect(listActions(resumed)).toEqual(['run-now', 'suspend']);
});

test('resume ends a pause', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  await scene.createCronJob({ pauseAfterFailures: 1 });
  await scene.waitUntilObserved();
  await scene.passNextMinute();
  const [job] = await scene.waitForJobs(1);
  await scene.finish(job!, 'Failed');
  const isPaused = async (value: boolean) =>
    await scene.eventually(async () => expect((await scene.cronJob()).status?.paused !== undefined).toBe(value));
  await isPaused(true);
  const paused = await scene.cronJob();
  expect(listActions(paused)).toEqual(['resume', 'run-now', 'suspend']);
  expect(getHealth(paused).message).toMatch(/^Paused: /);
  expect(applyAction('resume', paused).metadata.annotations).toHaveProperty([RESUME_ANNOTATION]);

  await performAction(scene, 'resume');
  await isPaused(false);
  expect(getHealth(await scene.cronJob()).status).toBe('Healthy');
});
