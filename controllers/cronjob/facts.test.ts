import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { parseSlotJobName } from '../../api/v1/job-names.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { decide, findCreatedSlot } from './decide.ts';
import { assess, assumeActiveJob, listJobNamesToLookUp, selectJobs } from './facts.ts';
import { toRun } from './job.ts';

const [first, second, third] = ['01:00:00', '02:00:00', '03:00:00'].map((time) => buildJob(at(time))) as [
  Job,
  Job,
  Job,
];
const referenceTo = ({ metadata: { name, uid } }: Job) => ({ name, uid });

describe('the Jobs of a CronJob', () => {
  test('are looked up when the status or this process names them and the cache has them not, each once', () => {
    const given = cronJob({}, { active: [first, second].map(referenceTo) });
    const names = [second, third].map(({ metadata }) => metadata.name);
    expect(listJobNamesToLookUp(given, names, [first])).toEqual(names);
    expect(listJobNamesToLookUp(cronJob(), [], [first])).toEqual([]);
  });

  test('are looked up when their create got no answer and the cache does not have them', () => {
    const uncertain = [first.metadata.name];
    expect(listJobNamesToLookUp(cronJob(), uncertain, [])).toEqual(uncertain);
    expect(listJobNamesToLookUp(cronJob(), uncertain, [first])).toEqual([]);
  });

  test('are looked up a hundred at a time, whatever a status names', () => {
    const active = Array.from({ length: 30_000 }, (_, index) => ({ name: `made-up-${index}` }));
    const names = listJobNamesToLookUp(cronJob({}, { active }), [first.metadata.name], []);
    expect(names).toHaveLength(100);
    expect(names[0]).toBe(first.metadata.name);
  });

  test('are the Jobs that it controls, each once', () => {
    const another = buildJob(at('04:00:00'), { ownerUid: 'another' });
    expect(selectJobs(cronJob(), [first, undefined, another, first, second])).toEqual([first, second]);
  });

  test('include Jobs that the status lists as active and that have lost their owner', () => {
    const lost = buildJob(at('04:00:00'), { ownerUid: 'another' });
    const listing = cronJob({}, { active: [referenceTo(lost)] });
    expect(selectJobs(listing, [lost])).toEqual([lost]);
    const successor = { ...lost, metadata: { ...lost.metadata, uid: 'made again under the same name' } };
    expect(selectJobs(listing, [successor])).toEqual([]);
  });
});

test('a Job that cannot be read is assumed to run when the status names it, with what the status or its name tells', () => {
  const { name } = first.metadata;
  expect(assumeActiveJob(cronJob(), name)).toBeUndefined();
  expect(assumeActiveJob(cronJob({}, { active: [{ name: 'another' }] }), name)).toBeUndefined();
  const ofSlot = assumeActiveJob(cronJob({}, { active: [{ name }] }), name)!;
  expect(toRun(ofSlot)).toMatchObject({ state: 'Active', trigger: 'Schedule', slot: new Date(at('01:00:00')) });
  const byHand = assumeActiveJob(cronJob({}, { active: [{ name: 'hello-m12345678' }] }), 'hello-m12345678')!;
  expect(toRun(byHand).trigger).toBe('Manual');
});

test('the creation delay is known for Jobs that this reconcile created for a slot', () => {
  const decision = decide(assess({ cronJob: cronJob(), jobs: [] }, new Date(at('01:00:00'))));
  expect(findCreatedSlot(decision, { kind: 'Created', job: first })).toEqual(new Date(at('01:00:00')));
  expect(findCreatedSlot(decision, { kind: 'Adopted', job: first })).toBeUndefined();
  expect(findCreatedSlot({ kind: 'NothingDue' }, { kind: 'Created', job: first })).toBeUndefined();
});

test('the name of a Job tells its slot, if it is one that the controller gives', () => {
  const slots = [first.metadata.name, 'other-1767229200', 'hello-m12345678', 'hello-'].map((name) =>
    parseSlotJobName(cronJob(), name),
  );
  expect(slots).toEqual([new Date(at('01:00:00')), undefined, undefined, undefined]);
});
