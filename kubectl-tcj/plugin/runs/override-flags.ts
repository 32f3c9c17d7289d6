/** The flags that change a container of a run. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { CronJobRunSpec } from '../../../api/v1/cronjobrun-types.ts';
import { findOverrideFault, listContainerNames } from '../../../api/v1/run-overrides.ts';
import { CommandError, type CommandFlag, type Invocation, UsageError } from '../command.ts';

const ARG_FLAG: CommandFlag = {
  name: 'arg',
  value: 'arg',
  isRepeated: true,
  description: 'Argument of the container (repeatable).',
};
const ENV_FLAG: CommandFlag = {
  name: 'env',
  value: 'name=value',
  isRepeated: true,
  description: 'Variable of the container (repeatable).',
};
const CONTAINER_FLAG: CommandFlag = {
  name: 'container',
  value: 'name',
  description: 'Container to change (default: the first one).',
};
export const OVERRIDE_FLAGS = [ARG_FLAG, ENV_FLAG, CONTAINER_FLAG] as const;

type Overrides = NonNullable<CronJobRunSpec['overrides']>;

/**
 * Returns `undefined` without any of the flags. Throws a CommandError if the CronJob does not allow the overrides, and a UsageError for
 * an invalid flag.
 */
export function parseOverrides(
  invocation: Pick<Invocation, 'flagLists' | 'flagValues'>,
  cronJob: CronJob,
): Overrides | undefined {
  const { flagLists, flagValues } = invocation;
  const args = flagLists.get(ARG_FLAG.name);
  const env = flagLists.get(ENV_FLAG.name)?.map(parseVariable);
  const container = flagValues.get(CONTAINER_FLAG.name);
  if (args === undefined && env === undefined) {
    if (container !== undefined) throw new UsageError('--container requires --arg or --env');
    return undefined;
  }
  const name = container ?? String(listContainerNames(cronJob.spec.jobTemplate)[0] ?? '');
  const overrides = { containers: [{ name, ...(args && { args }), ...(env && { env: keepLastValues(env) }) }] };
  const fault = findOverrideFault(overrides, cronJob.spec);
  if (fault !== undefined) throw new CommandError(fault);
  return overrides;
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

function parseVariable(text: string): Variable {
  const end = text.indexOf('=');
  if (end > 0) return { name: text.slice(0, end), value: text.slice(end + 1) };
  throw new UsageError(`--${ENV_FLAG.name}: ${JSON.stringify(text)} is not valid: use NAME=VALUE`);
}

/** The API server refuses two variables with the same name. */
function keepLastValues(env: readonly Variable[]): readonly Variable[] {
  return [...new Map(env.map((variable) => [variable.name, variable])).values()];
}
