/** Actions of users on the CronJob. */
import { formatTime } from '../../../api/time.ts';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { editSpec, removeCronJob, removeRequest, storeCronJob, storeRequest } from '../api-server.ts';
import { type ModelState, newCronJob, RUN_NOW_FIELDS, SPEC_FIELDS } from '../state.ts';
import { type ModelStep, spend } from './step.ts';

export function userSteps(state: ModelState): readonly ModelStep[] {
  return [
    ...suspendSteps(state),
    ...removalSteps(state),
    ...creationSteps(state),
    ...runNowSteps(state),
    ...resumeSteps(state),
    ...rescheduleSteps(state),
    ...requestSteps(state),
  ];
}

function suspendSteps(state: ModelState): readonly ModelStep[] {
  if (state.remaining.suspends === 0 || state.cronJob === undefined) return [];
  const { suspend } = state.cronJob.spec;
  const edited = editSpec(spend(state, 'suspends'), { suspend: !suspend });
  return [{ description: suspend ? 'a user resumes the CronJob' : 'a user suspends the CronJob', state: edited }];
}

function removalSteps(state: ModelState): readonly ModelStep[] {
  const { cronJob } = state;
  if (state.remaining.removals === 0 || cronJob === undefined || cronJob.metadata.deletionTimestamp !== undefined)
    return [];
  const spent = spend(state, 'removals');
  const metadata = {
    ...cronJob.metadata,
    deletionTimestamp: formatTime(new Date(state.nowMs)),
    generation: (cronJob.metadata.generation ?? 0) + 1,
  };
  return [
    { description: 'a user deletes the CronJob', state: removeCronJob(spent) },
    {
      description: 'a user deletes the CronJob in the foreground',
      state: storeCronJob(spent, { ...cronJob, metadata }),
    },
  ];
}

/** A deleted CronJob is created again. */
function creationSteps(state: ModelState): readonly ModelStep[] {
  if (state.cronJob !== undefined) return [];
  const recreated = newCronJob(`u${state.remaining.removals}`, state.nowMs, state.scenario);
  const created = { ...storeCronJob(state, recreated), editedMs: state.nowMs };
  return [{ description: 'a user creates the CronJob again', state: created }];
}

/** The annotation then belongs to the client that set it, and no longer to the client that created the CronJob. */
function runNowSteps(state: ModelState): readonly ModelStep[] {
  const { cronJob } = state;
  if (state.remaining.runNows === 0 || cronJob === undefined) return [];
  const value = `value-${state.remaining.runNows}`;
  const metadata = {
    ...cronJob.metadata,
    annotations: { ...cronJob.metadata.annotations, [RUN_NOW_ANNOTATION]: value },
    managedFields: [
      { time: cronJob.metadata.creationTimestamp ?? '', fieldsV1: SPEC_FIELDS },
      { time: formatTime(new Date(state.nowMs)), fieldsV1: RUN_NOW_FIELDS },
    ],
  };
  const requested = storeCronJob(spend(state, 'runNows'), { ...cronJob, metadata });
  return [{ description: `a user requests a manual run: ${value}`, state: requested }];
}

/** Edits the schedule to one with the same slots. */
function rescheduleSteps(state: ModelState): readonly ModelStep[] {
  const { cronJob, nowMs } = state;
  if (state.remaining.reschedules === 0 || cronJob === undefined) return [];
  const { managedFields = [] } = cronJob.metadata;
  const others = managedFields.filter(({ fieldsV1 }) => !('f:spec' in (fieldsV1 ?? {})));
  const time = formatTime(new Date(nowMs));
  const metadata = { ...cronJob.metadata, managedFields: [...others, { time, fieldsV1: SPEC_FIELDS }] };
  const edited = { ...spend(state, 'reschedules'), cronJob: { ...cronJob, metadata }, editedMs: nowMs };
  return [{ description: 'the schedule is edited', state: editSpec(edited, { schedule: '*/1 * * * *' }) }];
}

function resumeSteps(state: ModelState): readonly ModelStep[] {
  const { cronJob } = state;
  if (state.remaining.resumes === 0 || cronJob === undefined) return [];
  const annotations = { ...cronJob.metadata.annotations, [RESUME_ANNOTATION]: `value-${state.remaining.resumes}` };
  const requested = { ...cronJob, metadata: { ...cronJob.metadata, annotations } };
  return [{ description: 'a user resumes the CronJob', state: storeCronJob(spend(state, 'resumes'), requested) }];
}

function requestSteps(state: ModelState): readonly ModelStep[] {
  const { stored } = state.request;
  if (state.remaining.requestEdits === 0 || stored === undefined) return [];
  const spent = spend(state, 'requestEdits');
  const { suspend = false } = stored.spec;
  const metadata = { ...stored.metadata, generation: (stored.metadata.generation ?? 0) + 1 };
  const edited = { ...stored, metadata, spec: { ...stored.spec, suspend: !suspend } };
  return [
    {
      description: suspend ? 'a user resumes the CronJobRun' : 'a user suspends the CronJobRun',
      state: storeRequest(spent, edited),
    },
    { description: 'a user deletes the CronJobRun', state: removeRequest(spent) },
  ];
}
