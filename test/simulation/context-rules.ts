/** The values that a new Job and its Pods get about their run. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { GENERATION_ANNOTATION, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { findBrokenRules, getEnding, isBackfill, isManual } from './facts.ts';
import type { Ledger } from './ledger.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';

interface CreatedRun {
  readonly job: Job;
  readonly observed: ObservedReconcile;
  readonly view: CronJob;
  readonly ledger: Ledger;
}

const CONTEXT_VARIABLES = [
  'CRONJOB_NAME',
  'CRONJOB_RUN',
  'CRONJOB_TRIGGER',
  'CRONJOB_SCHEDULED_TIME',
  'CRONJOB_LAST_SUCCESSFUL_TIME',
];

export function checkContext(start: CreatedRun): readonly string[] {
  const { job, view } = start;
  const { annotations = {} } = job.metadata;
  const template = job.spec.template.metadata?.annotations ?? {};
  return findBrokenRules({
    'a Job has the generation of the CronJob': annotations[GENERATION_ANNOTATION] === `${view.metadata.generation}`,
    'Pods have the slot of their Job': template[SCHEDULED_AT_ANNOTATION] === annotations[SCHEDULED_AT_ANNOTATION],
    'containers have the environment of their run with runContext': hasCorrectEnv(start),
  });
}

function hasCorrectEnv({ job, observed, view, ledger }: CreatedRun): boolean {
  const templateEnv = getEnv(view.spec.jobTemplate.spec);
  const env = getEnv(job.spec);
  if (view.spec.runContext !== 'Env') return JSON.stringify([...env]) === JSON.stringify([...templateEnv]);
  const slot = job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION];
  const expected: readonly (readonly [string, string | undefined])[] = [
    ['CRONJOB_NAME', view.metadata.name],
    ['CRONJOB_RUN', job.metadata.name],
    ['CRONJOB_TRIGGER', isBackfill(job) ? 'Backfill' : isManual(job) ? 'Manual' : 'Schedule'],
    ['CRONJOB_SCHEDULED_TIME', slot],
  ];
  const isComplete = expected.every(([name, value]) => env.get(name) === (templateEnv.get(name) ?? value));
  const isTemplateUnchanged = [...templateEnv].every(([name, value]) => env.get(name) === value);
  const hasNoOthers = [...env.keys()].every((name) => CONTEXT_VARIABLES.includes(name) || templateEnv.has(name));
  return (
    isComplete &&
    isTemplateUnchanged &&
    hasNoOthers &&
    isLastSuccessfulTime(env.get('CRONJOB_LAST_SUCCESSFUL_TIME'), { job, observed, view, ledger })
  );
}

/** The newest success that the reconcile could know. A process may remember a later one. */
function isLastSuccessfulTime(value: string | undefined, { observed, view, ledger }: CreatedRun): boolean {
  const endings = [...observed.jobs.values()].map((job) => getEnding(job));
  const times = endings.map((ending) => (ending.kind === 'Succeeded' ? ending.at : ''));
  const newest = [view.status?.lastSuccessfulTime ?? '', ...times].toSorted().at(-1) ?? '';
  if (value === undefined) return newest === '';
  return value >= newest && ledger.endings.Succeeded.has(value);
}

function getEnv(spec: Job['spec'] | CronJob['spec']['jobTemplate']['spec']): ReadonlyMap<string, string | undefined> {
  const env = spec?.template.spec?.containers[0]?.env ?? [];
  return new Map(env.map(({ name, value }) => [name, value]));
}
