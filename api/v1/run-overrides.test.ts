import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { findOverrideFault, withOverrides } from './run-overrides.ts';

const container = {
  name: 'hello',
  image: 'busybox',
  args: ['--quick'],
  env: [
    { name: 'A', value: '1' },
    { name: 'B', value: 'b' },
  ],
};
const other = { name: 'other', image: 'busybox' };
const { spec } = cronJob({
  runOverrides: 'ArgsAndEnv',
  jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container, other] } } } },
});
const args = { name: 'hello', args: ['--full'] };
const env = { name: 'hello', env: [{ name: 'A', value: '2' }] };

describe('the Job of a run has', () => {
  test('the overrides, and the rest of the template', () => {
    const overrides = { containers: [{ ...args, ...env }], activeDeadlineSeconds: 60 };
    const changed = {
      ...container,
      args: ['--full'],
      env: [
        { name: 'A', value: '2' },
        { name: 'B', value: 'b' },
      ],
    };
    expect(withOverrides(spec.jobTemplate, overrides).spec).toEqual({
      activeDeadlineSeconds: 60,
      template: { spec: { restartPolicy: 'Never', containers: [changed, other] } },
    });
  });

  test('a changed variable in its place, because later variables may refer to it, and new variables at the end', () => {
    type Env = readonly { readonly name: string; readonly value: string }[];
    const envOf = (template: Env, changes: Env) => {
      const containers = [{ ...container, env: template }];
      const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers } } } } as const;
      const overrides = { containers: [{ name: 'hello', env: changes }] };
      const changed = withOverrides(cronJob({ jobTemplate }).spec.jobTemplate, overrides);
      return changed.spec?.template.spec?.containers[0]?.env;
    };
    const variable = (name: string, value: string) => ({ name, value });
    const url = variable('URL', 'http://$(HOST)');
    expect(envOf([variable('HOST', 'a'), url], [variable('NEW', ''), variable('HOST', 'b')])).toEqual([
      variable('HOST', 'b'),
      url,
      variable('NEW', ''),
    ]);
    const repeated = [variable('A', '1'), url, variable('A', '2')];
    const changed = [variable('A', '3'), url, variable('A', '3')];
    expect(envOf(repeated, [variable('A', '3')])).toEqual(changed);
    expect(envOf(repeated, [variable('URL', '')])).toEqual([
      variable('A', '1'),
      variable('URL', ''),
      variable('A', '2'),
    ]);
  });

  test('the template, with empty overrides', () => {
    const overrides = { containers: [{ name: 'hello', env: [] }] };
    expect(withOverrides(spec.jobTemplate, overrides)).toEqual(spec.jobTemplate);
  });
});

describe('overrides are refused', () => {
  const findFault = (overrides: Parameters<typeof findOverrideFault>[0], runOverrides = spec.runOverrides) =>
    findOverrideFault(overrides, { ...spec, ...(runOverrides && { runOverrides }) });

  test.each([
    ['None', { containers: [args] }, 'the CronJob allows no other arguments; set its spec.runOverrides to Args'],
    ['None', { activeDeadlineSeconds: 60 }, 'the CronJob allows no other deadline; set its spec.runOverrides to Args'],
    [
      'Args',
      { containers: [args, env] },
      'the CronJob allows no environment variables; set its spec.runOverrides to ArgsAndEnv',
    ],
  ] as const)('with runOverrides %s, the webhook refuses %j', (runOverrides, overrides, message) => {
    expect(findFault(overrides, runOverrides)).toBe(message);
    expect(findFault(overrides)).toBeUndefined();
  });

  test('for a container that the template does not have', () => {
    expect(findFault({ containers: [{ name: 'main', args: [] }] })).toBe(
      'the CronJob has no container main; it has hello, other',
    );
  });
});
