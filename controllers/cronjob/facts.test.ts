import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { slotOfJobName } from '../../api/v1/job-names.ts';
import { at, cronJob, jobOf } from '../../test/support/cron-jobs.ts';
import { createdSlot } from './applied.ts';
import { decide } from './decide.ts';
import { assess, jobsOf } from './facts.ts';
import { runOf } from './job.ts';
import { memoryOf, NO_MEMORY, namesToLookUp } from './memory.ts';

const [first, second, third] = ['01:00:00', '02:00:00', '03:00:00'].map((time) => jobOf(at(time))) as [Job, Job, Job];
const referenceTo = ({ metadata: { name, uid } }: Job) => ({ name, uid });

describe('the Jobs of a CronJob', () => {
  test('are looked up when the status or this process names them and the cache has them not, each once', () => {
    const given = cronJob({}, { active: [first, second].map(referenceTo) });
    const memory = { ...NO_MEMORY, unrecorded: [second, third].map(referenceTo) };
    expect(namesToLookUp(given, { memory }, [first])).toEqual([second.metadata.name, third.metadata.name]);
    expect(namesToLookUp(cronJob(), { memory: NO_MEMORY }, [first])).toEqual([]);
  });

  test('are not looked up when an earlier pass has seen their end', () => {
    const given = cronJob({}, { active: [first, second].map(referenceTo) });
    expect(namesToLookUp(given, { memory: { ...NO_MEMORY, ended: [runOf(first)] } }, [])).toEqual([
      second.metadata.name,
    ]);
  });

  test('are looked up when their create got no answer and the cache does not have them', () => {
    const known = { memory: NO_MEMORY, uncertain: [first.metadata.name] };
    expect(namesToLookUp(cronJob(), known, [])).toEqual([first.metadata.name]);
    expect(namesToLookUp(cronJob(), known, [first])).toEqual([]);
  });

  test('are looked up by nothing else than what a reference has', () => {
    expect(namesToLookUp(cronJob({}, { active: [{}] }), { memory: NO_MEMORY }, [])).toEqual(['']);
  });

  test('are looked up a hundred at a time, whatever a status names', () => {
    const active = Array.from({ length: 30_000 }, (_, index) => ({ name: `made-up-${index}` }));
    const names = namesToLookUp(
      cronJob({}, { active }),
      { memory: { ...NO_MEMORY, unrecorded: [referenceTo(first)] } },
      [],
    );
    expect(names).toHaveLength(100);
    expect(names[0]).toBe(first.metadata.name);
  });

  test('are those that it controls, each once', () => {
    const another = jobOf(at('04:00:00'), { ownerUid: 'another' });
    expect(jobsOf(cronJob(), [first, undefined, another, first, second])).toEqual([first, second]);
  });

  test('are also those that the status lists as active and that have lost their owner', () => {
    const lost = jobOf(at('04:00:00'), { ownerUid: 'another' });
    const listing = cronJob({}, { active: [referenceTo(lost)] });
    expect(jobsOf(listing, [lost])).toEqual([lost]);
    const successor = { ...lost, metadata: { ...lost.metadata, uid: 'made again under the same name' } };
    expect(jobsOf(listing, [successor])).toEqual([]);
    expect(jobsOf(cronJob(), [lost], { ...NO_MEMORY, unrecorded: [referenceTo(lost)] })).toEqual([lost]);
  });
});

test('a pass knows nothing of what was remembered of another CronJob of its name', () => {
  const given = cronJob();
  const kept = { ...NO_MEMORY, uid: given.metadata.uid, unrecorded: [referenceTo(first)] };
  expect(memoryOf(given, kept)).toBe(kept);
  expect(memoryOf(given, { ...kept, uid: 'of-another' })).toBe(NO_MEMORY);
});

test('how late a Job was created is known of those that were created for a slot, just now', () => {
  const decision = decide(assess({ cronJob: cronJob(), jobs: [] }, new Date(at('01:00:00'))));
  expect(createdSlot(decision, { kind: 'Created', job: first })).toEqual(new Date(at('01:00:00')));
  expect(createdSlot(decision, { kind: 'Adopted', job: first })).toBeUndefined();
  expect(createdSlot({ kind: 'NothingDue' }, { kind: 'Created', job: first })).toBeUndefined();
});

test('the name of a Job tells its slot, if it is one that the controller gives', () => {
  const slots = [first.metadata.name, 'other-1767229200', 'hello-m12345678', 'hello-'].map((name) =>
    slotOfJobName(cronJob(), name),
  );
  expect(slots).toEqual([new Date(at('01:00:00')), undefined, undefined, undefined]);
});
