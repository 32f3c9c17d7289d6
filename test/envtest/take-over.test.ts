/** The annotation that a CronJob gets when it replaces one of batch/v1: on a real API server. */
import { expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import { SCHEDULED_AT_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../api/v1/groupversion.ts';
import { Scene } from '../support/scene.ts';

const MINUTE_MS = 60_000;

/** The last full minute, which the creation of a CronJob in this minute is after. */
const lastMinute = (scene: Scene) => new Date(scene.nextMinute.getTime() - MINUTE_MS);
const minutesBefore = (time: Date, minutes: number) => formatTime(new Date(time.getTime() - minutes * MINUTE_MS));
const slotsOf = (jobs: readonly Job[]) => jobs.map(({ metadata }) => metadata.annotations?.[SCHEDULED_AT_ANNOTATION]);

test('better: of the slots between the annotation and the creation the newest runs, once', async () => {
  await using scene = await Scene.open();
  const suspended = minutesBefore(lastMinute(scene), 3);
  const { metadata } = await scene.createCronJob({}, 'hello', { [TAKES_OVER_FROM_ANNOTATION]: suspended });
  const slot = formatTime(lastMinute(scene));
  const first = await scene.startManager();
  expect(slotsOf(await scene.hasJobs(1))).toEqual([slot]);
  await scene.observed();
  const { status } = await scene.cronJob();
  expect(status).toMatchObject({ lastScheduleTime: slot, effectiveSchedule: { since: suspended } });
  expect(Date.parse(slot)).toBeLessThanOrEqual(Date.parse(metadata.creationTimestamp));
  await scene.stopManager(first);
  await scene.startManager();
  const next = await scene.passNextMinute();
  expect(slotsOf(await scene.hasJobs(2))).toEqual([slot, next]);
});

test.each([
  { name: 'of more than ten minutes before the creation', minutes: 11 },
  { name: 'after the creation', minutes: -60 },
])('a time $name starts nothing', async ({ minutes }) => {
  await using scene = await Scene.open();
  const annotations = { [TAKES_OVER_FROM_ANNOTATION]: minutesBefore(lastMinute(scene), minutes) };
  const { metadata } = await scene.createCronJob({}, 'hello', annotations);
  await scene.startManager();
  await scene.observed();
  expect(await scene.jobs()).toEqual([]);
  expect((await scene.cronJob()).status?.effectiveSchedule?.since).toBe(metadata.creationTimestamp);
});
