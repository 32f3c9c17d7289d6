/** The flags that change a container of a run. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CommandError, type CommandFlag, type Invocation, UsageError } from '../command.ts';
import { createOverrides, type OverrideRequest, parseVariable, type Variable } from '../report/overrides.ts';

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
  description: 'Environment variable of the container (repeatable).',
};
const CONTAINER_FLAG: CommandFlag = {
  name: 'container',
  value: 'name',
  description: 'Container to change (default: the first).',
};
export const OVERRIDE_FLAGS = [ARG_FLAG, ENV_FLAG, CONTAINER_FLAG] as const;

type Overrides = Extract<OverrideRequest, { kind: 'ok' }>['overrides'];

/**
 * Returns `undefined` if none of the flags is set. Throws a CommandError if the CronJob does not allow the overrides,
 * and a UsageError for an invalid flag.
 */
export function parseOverrides(
  { flagLists, flagValues }: Pick<Invocation, 'flagLists' | 'flagValues'>,
  cronJob: CronJob,
): Overrides {
  const args = flagLists.get(ARG_FLAG.name);
  const env = flagLists.get(ENV_FLAG.name)?.map(parseVariableFlag);
  const container = flagValues.get(CONTAINER_FLAG.name);
  if (container !== undefined && args === undefined && env === undefined)
    throw new UsageError('--container requires --arg or --env');
  const request = createOverrides(cronJob, { args, env, container });
  if (request.kind === 'invalid') throw new CommandError(request.message);
  return request.overrides;
}

function parseVariableFlag(text: string): Variable {
  const variable = parseVariable(text);
  if (variable !== undefined) return variable;
  throw new UsageError(`--${ENV_FLAG.name}: ${JSON.stringify(text)} is not valid: use NAME=VALUE`);
}
