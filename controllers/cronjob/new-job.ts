/** Builds the Job of a run from the template of its CronJob. */
import type { NewJob } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import {
  GENERATION_ANNOTATION,
  INSTANTIATE_ANNOTATION,
  REQUESTED_BY_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  SCHEDULED_TIMESTAMP_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
} from '../../api/v1/groupversion.ts';
import { toManualJobName, toRequestedJobName, toSlotJobName } from '../../api/v1/job-names.ts';
import { isRecord, valueAt } from '../../api/v1/raw-object.ts';
import { withOverrides } from '../../api/v1/run-overrides.ts';
import { formatInZone } from '../../api/v1/schedule.ts';
import { createControllerReference } from './job.ts';

export function buildSlotJob(cronJob: CronJob, slot: Date, lastSuccess?: Date): NewJob {
  const annotations = buildSlotAnnotations(slot, cronJob.spec.timeZone);
  return buildJob(
    cronJob,
    { jobName: toSlotJobName(cronJob, slot), trigger: 'Schedule', slot, lastSuccess },
    annotations,
  );
}

export function buildManualJob(cronJob: CronJob, value: string, lastSuccess?: Date): NewJob {
  return buildJob(cronJob, { jobName: toManualJobName(cronJob, value), trigger: 'Manual', lastSuccess });
}

/**
 * Builds the Job of a CronJobRun. The owner of the Job is the CronJob.
 * @param slot Default: a manual run.
 */
export function buildRequestedJob(cronJob: CronJob, request: CronJobRun, slot?: Date, lastSuccess?: Date): NewJob {
  const { overrides } = request.spec;
  const { spec } = cronJob;
  const changedSpec = overrides ? { ...spec, jobTemplate: withOverrides(spec.jobTemplate, overrides) } : spec;
  const trigger = slot === undefined ? 'Manual' : 'Backfill';
  const job = buildJob(
    { ...cronJob, spec: changedSpec },
    { jobName: toRequestedJobName(request, slot), trigger, ...(slot && { slot }), lastSuccess },
    slot && buildSlotAnnotations(slot, spec.timeZone),
  );
  const annotations = { ...job.metadata.annotations, [REQUESTED_BY_ANNOTATION]: request.metadata.name };
  return { ...job, metadata: { ...job.metadata, annotations } };
}

type Annotations = Readonly<Record<string, string>>;

function buildSlotAnnotations(slot: Date, timeZone: string | undefined): Annotations {
  return {
    [SCHEDULED_TIMESTAMP_ANNOTATION]: formatInZone(slot, timeZone),
    [SCHEDULED_AT_ANNOTATION]: formatTime(slot),
  };
}

function buildJob(
  { metadata, spec }: CronJob,
  run: Omit<NewRun, 'cronJobName'>,
  runAnnotations: Annotations = {},
): NewJob {
  const { labels, annotations = {} } = spec.jobTemplate.metadata ?? {};
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: run.jobName,
      namespace: metadata.namespace,
      ...(labels ? { labels } : {}),
      annotations: {
        ...withoutControllerAnnotations(annotations),
        ...runAnnotations,
        ...(run.trigger === 'Manual' ? { [INSTANTIATE_ANNOTATION]: 'manual' } : {}),
        ...(metadata.generation === undefined ? {} : { [GENERATION_ANNOTATION]: `${metadata.generation}` }),
      },
      ownerReferences: [createControllerReference({ metadata })],
    },
    spec: buildJobSpec(spec, { ...run, cronJobName: metadata.name }, runAnnotations),
  };
}

/**
 * Builds the spec of a Job for a dry run. The spec has the same fields as the specs of real Jobs, and values of the
 * same lengths.
 */
export function buildDryRunJobSpec(
  spec: CronJob['spec'],
  names: Pick<NewRun, 'cronJobName' | 'jobName'>,
): NewJob['spec'] {
  const time = new Date(0);
  const run: NewRun = { ...names, trigger: 'Schedule', slot: time, lastSuccess: time };
  // The zone is UTC, because the zone of the CronJob may not exist.
  return buildJobSpec(spec, run, buildSlotAnnotations(time, undefined));
}

/** Annotations that only the controller sets. A user may have copied the template from a Job. */
const CONTROLLER_ANNOTATIONS: readonly string[] = [
  SCHEDULED_AT_ANNOTATION,
  SCHEDULED_TIMESTAMP_ANNOTATION,
  INSTANTIATE_ANNOTATION,
  REQUESTED_BY_ANNOTATION,
  GENERATION_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
];

interface NewRun {
  readonly cronJobName: string;
  readonly jobName: string;
  readonly trigger: 'Schedule' | 'Manual' | 'Backfill';
  /** Absent for a manual run. */
  readonly slot?: Date;
  /** The time at which a run of the CronJob last succeeded. */
  readonly lastSuccess?: Date | undefined;
}

type PodTemplate = NewJob['spec']['template'];
type PodSpec = NonNullable<PodTemplate['spec']>;
type Container = PodSpec['containers'][number];
type EnvVar = NonNullable<Container['env']>[number];

/** Returns the environment variables of `runContext: Env`. */
function buildEnv({ cronJobName, jobName, trigger, slot, lastSuccess }: NewRun): readonly EnvVar[] {
  return [
    { name: 'CRONJOB_NAME', value: cronJobName },
    { name: 'CRONJOB_RUN', value: jobName },
    { name: 'CRONJOB_TRIGGER', value: trigger },
    ...(slot ? [{ name: 'CRONJOB_SCHEDULED_TIME', value: formatTime(slot) }] : []),
    ...(lastSuccess ? [{ name: 'CRONJOB_LAST_SUCCESSFUL_TIME', value: formatTime(lastSuccess) }] : []),
  ];
}

/**
 * Drops a selector, because Jobs with the same selector would count each other's Pods. The CRD refuses a selector, but
 * a different CRD for this kind, such as the CRD of the kubebuilder tutorial, may have accepted a selector.
 */
function buildJobSpec(
  { jobTemplate, runContext }: CronJob['spec'],
  run: NewRun,
  annotations: Annotations,
): NewJob['spec'] {
  const { selector: _, manualSelector: __, template, ...rest } = jobTemplate.spec ?? { template: {} };
  return {
    ...rest,
    template: buildPodTemplate(template, { annotations, env: runContext === 'Env' ? buildEnv(run) : [] }),
  };
}

interface PodAdditions {
  /** The downward API cannot read annotations of the Job, so the Pods get the annotations too. */
  readonly annotations: Annotations;
  /** Empty without `runContext: Env`. */
  readonly env: readonly EnvVar[];
}

/**
 * With a different CRD, the API server may store any value here. A value that is not an object stays as it is, and the API server
 * reports the error.
 */
function buildPodTemplate(template: PodTemplate, { annotations, env }: PodAdditions): PodTemplate {
  if (!isRecord(template)) return template;
  const { metadata = {}, spec } = template;
  const templateAnnotations = isRecord(metadata) ? (metadata.annotations ?? {}) : undefined;
  const keptAnnotations = isRecord(templateAnnotations) ? withoutControllerAnnotations(templateAnnotations) : undefined;
  const isChanged =
    keptAnnotations !== undefined && (Object.keys(annotations).length > 0 || keptAnnotations !== templateAnnotations);
  return {
    ...template,
    ...(isChanged && { metadata: { ...metadata, annotations: { ...keptAnnotations, ...annotations } } }),
    ...(env.length > 0 && isRecord(spec) && { spec: withEnv(spec, env) }),
  };
}

/** Returns the same object if it has no annotation of the controller. */
function withoutControllerAnnotations(annotations: Annotations): Annotations {
  if (!CONTROLLER_ANNOTATIONS.some((key) => annotations[key] !== undefined)) return annotations;
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !CONTROLLER_ANNOTATIONS.includes(key)));
}

function withEnv(spec: PodSpec, env: readonly EnvVar[]): PodSpec {
  const addToAll = (containers: readonly Container[]) => containers.map((container) => addEnv(container, env));
  const { containers, initContainers } = spec;
  return {
    ...spec,
    ...(Array.isArray(containers) && { containers: addToAll(containers) }),
    ...(Array.isArray(initContainers) && { initContainers: addToAll(initContainers) }),
  };
}

/**
 * The added variables come first, so that variables of the template can refer to them, as in `$(CRONJOB_RUN)`. A variable of the
 * template with the same name takes precedence.
 */
function addEnv(container: Container, env: readonly EnvVar[]): Container {
  const templateEnv: unknown = isRecord(container) ? (container.env ?? []) : undefined;
  if (!Array.isArray(templateEnv)) return container;
  const templateNames = new Set(templateEnv.map((each) => valueAt(each, 'name')));
  return { ...container, env: [...env.filter(({ name }) => !templateNames.has(name)), ...templateEnv] };
}
