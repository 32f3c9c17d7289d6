/** Checks and applies the overrides of a CronJobRun. */
import type { NewJob } from '../kubernetes.ts';
import type { CronJobSpec } from './cronjob-types.ts';
import type { CronJobRunSpec } from './cronjobrun-types.ts';
import { valueAt } from './raw-object.ts';

type Overrides = NonNullable<CronJobRunSpec['overrides']>;
type ContainerOverride = NonNullable<Overrides['containers']>[number];
type PodSpec = NonNullable<NewJob['spec']['template']['spec']>;
type Container = PodSpec['containers'][number];

/**
 * Returns a sentence that says why the CronJob does not allow the overrides, or `undefined` if the CronJob allows them.
 */
export function findOverrideFault(
  { containers = [], activeDeadlineSeconds }: Overrides,
  { runOverrides = 'None', jobTemplate }: CronJobSpec,
): string | undefined {
  const names = listContainerNames(jobTemplate);
  for (const { name, args, env } of containers) {
    if (args !== undefined && runOverrides === 'None')
      return 'the CronJob allows no other arguments; set its spec.runOverrides to Args';
    if (env !== undefined && runOverrides !== 'ArgsAndEnv')
      return 'the CronJob allows no environment variables; set its spec.runOverrides to ArgsAndEnv';
    if (!names.includes(name)) return `the CronJob has no container ${name}; it has ${names.join(', ') || 'none'}`;
  }
  if (activeDeadlineSeconds !== undefined && runOverrides === 'None')
    return 'the CronJob allows no other deadline; set its spec.runOverrides to Args';
  return undefined;
}

/** Returns the names of the containers. A name may be a value of any type if the cluster has a different CRD for this kind. */
export function listContainerNames(jobTemplate: CronJobSpec['jobTemplate']): readonly unknown[] {
  const containers = valueAt(jobTemplate, 'spec', 'template', 'spec', 'containers');
  return Array.isArray(containers) ? containers.map((each) => valueAt(each, 'name')) : [];
}

/** Returns the template of the CronJob with the overrides. */
export function withOverrides(
  jobTemplate: CronJobSpec['jobTemplate'],
  { containers = [], activeDeadlineSeconds }: Overrides,
): CronJobSpec['jobTemplate'] {
  const { spec } = jobTemplate;
  if (spec === undefined) return jobTemplate;
  const podSpec = spec.template.spec;
  const overrides = new Map(containers.map((each) => [each.name, each]));
  const changedContainers = podSpec?.containers.map((container) =>
    withOverride(container, overrides.get(container.name)),
  );
  return {
    ...jobTemplate,
    spec: {
      ...spec,
      ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
      ...(changedContainers && {
        template: { ...spec.template, spec: { ...podSpec, containers: changedContainers } },
      }),
    },
  };
}

function withOverride(container: Container, override: ContainerOverride | undefined): Container {
  if (override === undefined) return container;
  const { args, env = [] } = override;
  return { ...container, ...(args && { args }), ...(env.length > 0 && { env: mergeEnv(container.env ?? [], env) }) };
}

type EnvVariables = NonNullable<Container['env']>;

/** Keeps the position of a changed environment variable, because later variables may refer to it with `$(NAME)`. */
function mergeEnv(templateEnv: EnvVariables, overrideEnv: EnvVariables): EnvVariables {
  const changesByName = new Map(overrideEnv.map((each) => [each.name, each]));
  const names = new Set(templateEnv.map(({ name }) => name));
  const merged = templateEnv.map((each) => changesByName.get(each.name) ?? each);
  return [...merged, ...overrideEnv.filter(({ name }) => !names.has(name))];
}
