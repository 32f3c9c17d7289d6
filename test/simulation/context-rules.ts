/** The values that a new Job and its Pods get about their run. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { GENERATION_ANNOTATION, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { broken, endingOf, isManual } from './facts.ts';
import type { Ledger } from './ledger.ts';
import type { Pass } from './pass.ts';

interface Start {
  readonly job: Job;
  readonly pass: Pass;
  readonly view: CronJob;
  readonly ledger: Ledger;
}

const OWN = [
  'CRONJOB_NAME',
  'CRONJOB_RUN',
  'CRONJOB_TRIGGER',
  'CRONJOB_SCHEDULED_TIME',
  'CRONJOB_LAST_SUCCESSFUL_TIME',
];

export function context(start: Start): readonly string[] {
  const { job, view } = start;
  const { annotations = {} } = job.metadata;
  const template = job.spec.template.metadata?.annotations ?? {};
  return broken({
    'a Job has the generation that it was made from':
      annotations[GENERATION_ANNOTATION] === `${view.metadata.generation}`,
    'Pods have the slot of their Job': template[SCHEDULED_AT_ANNOTATION] === annotations[SCHEDULED_AT_ANNOTATION],
    'containers know their run, if they are to': isTold(start),
  });
}

function isTold({ job, pass, view, ledger }: Start): boolean {
  const given = envIn(view.spec.jobTemplate.spec);
  const env = envIn(job.spec);
  if (view.spec.runContext !== 'Env') return JSON.stringify([...env]) === JSON.stringify([...given]);
  const slot = job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION];
  const known: readonly (readonly [string, string | undefined])[] = [
    ['CRONJOB_NAME', view.metadata.name],
    ['CRONJOB_RUN', job.metadata.name],
    ['CRONJOB_TRIGGER', isManual(job) ? 'Manual' : 'Schedule'],
    ['CRONJOB_SCHEDULED_TIME', slot],
  ];
  const isRight = known.every(([name, value]) => env.get(name) === (given.get(name) ?? value));
  const isKept = [...given].every(([name, value]) => env.get(name) === value);
  const isNoMore = [...env.keys()].every((name) => OWN.includes(name) || given.has(name));
  return (
    isRight && isKept && isNoMore && isLastSuccess(env.get('CRONJOB_LAST_SUCCESSFUL_TIME'), { job, pass, view, ledger })
  );
}

/** The newest success that the pass could know. A process may remember a later one. */
function isLastSuccess(told: string | undefined, { pass, view, ledger }: Start): boolean {
  const ends = [...pass.jobs.values()].map((job) => endingOf(job));
  const seen = ends.map((ending) => (ending.kind === 'Succeeded' ? ending.at : ''));
  const known = [view.status?.lastSuccessfulTime ?? '', ...seen].toSorted().at(-1) ?? '';
  if (told === undefined) return known === '';
  return told >= known && ledger.endings.Succeeded.has(told);
}

function envIn(spec: Job['spec'] | CronJob['spec']['jobTemplate']['spec']): ReadonlyMap<string, string | undefined> {
  const env = spec?.template.spec?.containers[0]?.env ?? [];
  return new Map(env.map(({ name, value }) => [name, value]));
}
