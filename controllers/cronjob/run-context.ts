/** What the Pods of a run are told about it: `spec.runContext` in their environment, and its slot in their annotations. */
import type { JobTemplateSpec, NewJob } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import { isRecord, valueAt } from '../../api/v1/raw-object.ts';

/** A run that is to start. */
export interface NewRun {
  /** Name of its CronJob. */
  readonly cronJobName: string;
  readonly jobName: string;
  readonly trigger: 'Schedule' | 'Manual';
  /** Absent for a manual run. */
  readonly slot?: Date;
  /** When a run of the CronJob last succeeded; absent before the first. */
  readonly lastSuccess?: Date | undefined;
}

type Annotations = Readonly<Record<string, string>>;
type PodTemplate = NewJob['spec']['template'];
type PodSpec = NonNullable<PodTemplate['spec']>;
type Container = PodSpec['containers'][number];
type EnvVar = NonNullable<Container['env']>[number];

/** The environment variables of `runContext: Env`. */
export function envOf({ cronJobName, jobName, trigger, slot, lastSuccess }: NewRun): readonly EnvVar[] {
  return [
    { name: 'CRONJOB_NAME', value: cronJobName },
    { name: 'CRONJOB_RUN', value: jobName },
    { name: 'CRONJOB_TRIGGER', value: trigger },
    ...(slot ? [{ name: 'CRONJOB_SCHEDULED_TIME', value: formatTime(slot) }] : []),
    ...(lastSuccess ? [{ name: 'CRONJOB_LAST_SUCCESSFUL_TIME', value: formatTime(lastSuccess) }] : []),
  ];
}

/**
 * The spec of the template's Jobs, without a selector: the API server generates one for each Job. With a selector from the template,
 * Jobs would count each other's Pods. New templates cannot have one; those that are older than that rule can.
 */
export function jobSpec({ spec }: JobTemplateSpec, told: Told): NewJob['spec'] {
  const { selector: _, manualSelector: __, template, ...rest } = spec ?? { template: {} };
  return { ...rest, template: podTemplate(template, told) };
}

/** What the Pods of a run are told. */
export interface Told {
  /** The run's own annotations, for all Pods: the downward API reads no others. */
  readonly annotations: Annotations;
  /** Keys of annotations that only the controller sets: a template that was copied from a Pod may have them. */
  readonly own: readonly string[];
  /** For each container; empty without `runContext: Env`. */
  readonly env: readonly EnvVar[];
}

// A definition without the schema of Jobs stores any value. What is no object stays as it is: the API server says what is wrong.
function podTemplate(template: PodTemplate, { annotations, own, env }: Told): PodTemplate {
  if (!isRecord(template)) return template;
  const { metadata = {}, spec } = template;
  const given = isRecord(metadata) ? (metadata.annotations ?? {}) : undefined;
  const kept = isRecord(given) ? without(given, own) : undefined;
  const isChanged = kept !== undefined && (Object.keys(annotations).length > 0 || kept !== given);
  return {
    ...template,
    ...(isChanged && { metadata: { ...metadata, annotations: { ...kept, ...annotations } } }),
    ...(env.length > 0 && isRecord(spec) && { spec: withEnv(spec, env) }),
  };
}

/** The annotations without the `own` ones; themselves when there are none of them, as nearly always. */
export function without(annotations: Annotations, own: readonly string[]): Annotations {
  if (!own.some((key) => annotations[key] !== undefined)) return annotations;
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !own.includes(key)));
}

function withEnv(spec: PodSpec, env: readonly EnvVar[]): PodSpec {
  const inAll = (containers: readonly Container[]) => containers.map((container) => ofContainer(container, env));
  const { containers, initContainers } = spec;
  return {
    ...spec,
    ...(Array.isArray(containers) && { containers: inAll(containers) }),
    ...(Array.isArray(initContainers) && { initContainers: inAll(initContainers) }),
  };
}

/** First, so that the template's own variables can refer to ours, as `$(CRONJOB_RUN)`. Names that the template has are its own. */
function ofContainer(container: Container, env: readonly EnvVar[]): Container {
  const given: unknown = isRecord(container) ? (container.env ?? []) : undefined;
  if (!Array.isArray(given)) return container;
  const taken = new Set(given.map((each) => valueAt(each, 'name')));
  return { ...container, env: [...env.filter(({ name }) => !taken.has(name)), ...given] };
}
