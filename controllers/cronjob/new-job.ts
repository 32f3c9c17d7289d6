/** The Job of a run that is to start, from the template of its CronJob. */
import type { NewJob } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import {
  GENERATION_ANNOTATION,
  INSTANTIATE_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  SCHEDULED_TIMESTAMP_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
} from '../../api/v1/groupversion.ts';
import { runNowJobName, slotJobName } from '../../api/v1/job-names.ts';
import { isRecord, valueAt } from '../../api/v1/raw-object.ts';
import { formatInZone } from '../../api/v1/schedule.ts';
import { controllerReference } from './job.ts';

/** @param lastSuccess When a run last succeeded, for {@link buildEnv}. */
export function buildSlotJob(cronJob: CronJob, slot: Date, lastSuccess?: Date): NewJob {
  const annotations = slotAnnotations(slot, cronJob.spec.timeZone);
  return buildJob(
    cronJob,
    { jobName: slotJobName(cronJob, slot), trigger: 'Schedule', slot, lastSuccess },
    annotations,
  );
}

/** @param lastSuccess As that of {@link buildSlotJob}. */
export function buildManualJob(cronJob: CronJob, value: string, lastSuccess?: Date): NewJob {
  return buildJob(cronJob, { jobName: runNowJobName(cronJob, value), trigger: 'Manual', lastSuccess });
}

type Annotations = Readonly<Record<string, string>>;

/** Annotations for the Job of a slot and for its Pods. */
function slotAnnotations(slot: Date, timeZone: string | undefined): Annotations {
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
      ownerReferences: [controllerReference({ metadata })],
    },
    spec: buildJobSpec(spec, { ...run, cronJobName: metadata.name }, runAnnotations),
  };
}

/**
 * The spec of a Job with the same form and length as the CronJob's real Jobs, for a dry run that represents no run.
 * @param names Names of the CronJob and of the Job.
 */
export function dryRunJobSpec(spec: CronJob['spec'], names: Pick<NewRun, 'cronJobName' | 'jobName'>): NewJob['spec'] {
  const time = new Date(0);
  const run: NewRun = { ...names, trigger: 'Schedule', slot: time, lastSuccess: time };
  // In UTC, because the zone may not exist.
  return buildJobSpec(spec, run, slotAnnotations(time, undefined));
}

/** Annotations that only the controller sets. A template that was copied from a Job may contain them. */
const CONTROLLER_ANNOTATIONS: readonly string[] = [
  SCHEDULED_AT_ANNOTATION,
  SCHEDULED_TIMESTAMP_ANNOTATION,
  INSTANTIATE_ANNOTATION,
  GENERATION_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
];

/** The run for which to build a Job. */
interface NewRun {
  /** Name of its CronJob. */
  readonly cronJobName: string;
  readonly jobName: string;
  readonly trigger: 'Schedule' | 'Manual';
  /** Absent for a manual run. */
  readonly slot?: Date;
  /** When a run of the CronJob last succeeded; absent before the first. */
  readonly lastSuccess?: Date | undefined;
}

type PodTemplate = NewJob['spec']['template'];
type PodSpec = NonNullable<PodTemplate['spec']>;
type Container = PodSpec['containers'][number];
type EnvVar = NonNullable<Container['env']>[number];

/** The environment variables of `runContext: Env`. */
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
 * The spec of the template's Jobs, without a selector: the API server generates one for each Job. With a selector from the
 * template, Jobs would count each other's Pods. Our CRD refuses a selector; another CRD of this kind, such as the kubebuilder
 * tutorial's, may have allowed it.
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

/** Annotations and variables that a run adds to the Pod template. */
interface PodAdditions {
  /** For all Pods: the downward API cannot read annotations of the Job. */
  readonly annotations: Annotations;
  /** For each container; empty without `runContext: Env`. */
  readonly env: readonly EnvVar[];
}

// A CRD without the schema of Jobs stores any value. A value that is not an object stays as it is: the API server reports the
// error.
function buildPodTemplate(template: PodTemplate, { annotations, env }: PodAdditions): PodTemplate {
  if (!isRecord(template)) return template;
  const { metadata = {}, spec } = template;
  const given = isRecord(metadata) ? (metadata.annotations ?? {}) : undefined;
  const kept = isRecord(given) ? withoutControllerAnnotations(given) : undefined;
  const isChanged = kept !== undefined && (Object.keys(annotations).length > 0 || kept !== given);
  return {
    ...template,
    ...(isChanged && { metadata: { ...metadata, annotations: { ...kept, ...annotations } } }),
    ...(env.length > 0 && isRecord(spec) && { spec: withEnv(spec, env) }),
  };
}

/**
 * The annotations without the ones that only the controller sets. Returns the same object when it has no such annotations, which is
 * the usual case.
 */
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
 * Our variables come first, so that the template's own variables can refer to them, as in `$(CRONJOB_RUN)`. The template's value
 * wins when it has the same name.
 */
function addEnv(container: Container, env: readonly EnvVar[]): Container {
  const given: unknown = isRecord(container) ? (container.env ?? []) : undefined;
  if (!Array.isArray(given)) return container;
  const taken = new Set(given.map((each) => valueAt(each, 'name')));
  return { ...container, env: [...env.filter(({ name }) => !taken.has(name)), ...given] };
}
