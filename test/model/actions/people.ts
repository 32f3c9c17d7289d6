/** Actions of users on the CronJob. */
import { formatTime } from '../../../api/time.ts';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { editSpec, removeCronJob, storeCronJob } from '../api-server.ts';
import { FIELDS_OF_RUN_NOW, FIELDS_OF_SPEC, newCronJob, type State } from '../state.ts';
import { type Step, spend } from './step.ts';

export function personSteps(state: State): readonly Step[] {
  return [
    ...suspends(state),
    ...removals(state),
    ...creations(state),
    ...runNows(state),
    ...resumes(state),
    ...reschedules(state),
  ];
}

function suspends(state: State): readonly Step[] {
  if (state.left.suspends === 0 || state.cronJob === undefined) return [];
  const { suspend } = state.cronJob.spec;
  const edited = editSpec(spend(state, 'suspends'), { suspend: !suspend });
  return [{ what: suspend ? 'it is resumed' : 'it is suspended', state: edited }];
}

function removals(state: State): readonly Step[] {
  const { cronJob } = state;
  if (state.left.removals === 0 || cronJob === undefined || cronJob.metadata.deletionTimestamp !== undefined) return [];
  const spent = spend(state, 'removals');
  const metadata = {
    ...cronJob.metadata,
    deletionTimestamp: formatTime(new Date(state.nowMs)),
    generation: (cronJob.metadata.generation ?? 0) + 1,
  };
  return [
    { what: 'somebody deletes the CronJob', state: removeCronJob(spent) },
    {
      what: 'somebody deletes the CronJob, once its Jobs are gone',
      state: storeCronJob(spent, { ...cronJob, metadata }),
    },
  ];
}

/** A deleted CronJob is created again. */
function creations(state: State): readonly Step[] {
  if (state.cronJob !== undefined) return [];
  const again = newCronJob(`u${state.left.removals}`, state.nowMs, state.scenario);
  const created = { ...storeCronJob(state, again), editedMs: state.nowMs };
  return [{ what: 'somebody creates the CronJob again', state: created }];
}

/** The annotation then belongs to the client that set it, and no longer to the client that created the CronJob. */
function runNows(state: State): readonly Step[] {
  const { cronJob } = state;
  if (state.left.runNows === 0 || cronJob === undefined) return [];
  const value = `value-${state.left.runNows}`;
  const metadata = {
    ...cronJob.metadata,
    annotations: { ...cronJob.metadata.annotations, [RUN_NOW_ANNOTATION]: value },
    managedFields: [
      { time: cronJob.metadata.creationTimestamp ?? '', fieldsV1: FIELDS_OF_SPEC },
      { time: formatTime(new Date(state.nowMs)), fieldsV1: FIELDS_OF_RUN_NOW },
    ],
  };
  const asked = storeCronJob(spend(state, 'runNows'), { ...cronJob, metadata });
  return [{ what: `somebody asks for a manual run: ${value}`, state: asked }];
}

/** Edits the schedule to one with the same slots. */
function reschedules(state: State): readonly Step[] {
  const { cronJob, nowMs } = state;
  if (state.left.reschedules === 0 || cronJob === undefined) return [];
  const { managedFields = [] } = cronJob.metadata;
  const others = managedFields.filter(({ fieldsV1 }) => !('f:spec' in (fieldsV1 ?? {})));
  const time = formatTime(new Date(nowMs));
  const metadata = { ...cronJob.metadata, managedFields: [...others, { time, fieldsV1: FIELDS_OF_SPEC }] };
  const noted = { ...spend(state, 'reschedules'), cronJob: { ...cronJob, metadata }, editedMs: nowMs };
  return [{ what: 'the schedule is edited', state: editSpec(noted, { schedule: '*/1 * * * *' }) }];
}

function resumes(state: State): readonly Step[] {
  const { cronJob } = state;
  if (state.left.resumes === 0 || cronJob === undefined) return [];
  const annotations = { ...cronJob.metadata.annotations, [RESUME_ANNOTATION]: `value-${state.left.resumes}` };
  const asked = { ...cronJob, metadata: { ...cronJob.metadata, annotations } };
  return [{ what: 'somebody asks for the end of the pause', state: storeCronJob(spend(state, 'resumes'), asked) }];
}
