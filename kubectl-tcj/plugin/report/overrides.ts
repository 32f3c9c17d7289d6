/** Builds the overrides of a CronJobRun. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { CronJobRunSpec } from '../../../api/v1/cronjobrun-types.ts';
import { findOverrideFault, listContainerNames } from '../../../api/v1/run-overrides.ts';

/** The changes of a container that a user requests. */
export interface OverrideOptions {
  readonly args?: readonly string[] | undefined;
  readonly env?: readonly Variable[] | undefined;
  /** Default: the first container. */
  readonly container?: string | undefined;
}

export interface Variable {
  readonly name: string;
  readonly value: string;
}

type Overrides = NonNullable<CronJobRunSpec['overrides']>;

/** The overrides, or the reason that the CronJob does not allow them. The overrides are absent if the user changes nothing. */
export type OverrideRequest =
  | { readonly kind: 'ok'; readonly overrides?: Overrides }
  | { readonly kind: 'invalid'; readonly message: string };

export function createOverrides({ spec }: CronJob, { args, env, container }: OverrideOptions): OverrideRequest {
  if (args === undefined && env === undefined) return { kind: 'ok' };
  const name = container ?? String(listContainerNames(spec.jobTemplate)[0] ?? '');
  const overrides = { containers: [{ name, ...(args && { args }), ...(env && { env: keepLastValues(env) }) }] };
  const fault = findOverrideFault(overrides, spec);
  return fault === undefined ? { kind: 'ok', overrides } : { kind: 'invalid', message: fault };
}

/** The API server refuses two variables with the same name. */
function keepLastValues(env: readonly Variable[]): readonly Variable[] {
  return [...new Map(env.map((variable) => [variable.name, variable])).values()];
}

/** Parses a text such as `LEVEL=debug`. Returns `undefined` for an invalid text. */
export function parseVariable(text: string): Variable | undefined {
  const end = text.indexOf('=');
  return end > 0 ? { name: text.slice(0, end), value: text.slice(end + 1) } : undefined;
}
