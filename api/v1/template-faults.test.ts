import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import type { CronJob } from './cronjob-types.ts';
import { validateCronJob } from './cronjob-validation.ts';

const POD = 'spec.jobTemplate.spec.template.spec';
const CONTAINER = `${POD}.containers[0]`;

/** A CronJob with these differences in its Pods. */
function withPod(podSpec: object): CronJob {
  const jobTemplate = { spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }], ...podSpec } } } };
  return cronJob({ jobTemplate } as unknown as Partial<CronJob['spec']>);
}

const withContainer = (container: object) => withPod({ containers: [{ name: 'c', image: 'i', ...container }] });
const saidOf = (object: unknown, old?: unknown) =>
  validateCronJob(object, old).map(({ field, message }) => `${field}: ${message}`);

describe('an element that a list has twice is refused with what to keep', () => {
  const LAST = 'batch/v1 uses the last one: keep [2] and remove the others';
  const [first, second] = ['a', 'b'].map((hostname) => ({ ip: '::1', hostnames: [hostname] }));

  test.each([
    [
      { env: [{ name: 'A', value: '1' }, { name: 'B' }, { name: 'A', value: '2' }] },
      [2],
      `"A": is at [0], [2]; ${LAST}`,
    ],
    [{ env: [{ name: 'A' }, { name: 'A' }, { name: 'A' }] }, [1, 2], `"A": is at [0], [1], [2]; ${LAST}`],
    // One element has the key by its default.
    [
      { ports: [{ containerPort: 1 }, { containerPort: 1, protocol: 'TCP' }] },
      [1],
      '"1/TCP": is at [0], [1]; keep one of them',
    ],
  ])('of a container: %j', (container, indexes, want) => {
    const [list] = Object.keys(container);
    for (const kind of ['containers', 'initContainers']) {
      expect(saidOf(withPod({ [kind]: [{ name: 'c', ...container }] }))).toEqual(
        indexes.map((index) => `${POD}.${kind}[0].${list}[${index}]: Duplicate value: ${want}`),
      );
    }
  });

  test.each([
    [{ imagePullSecrets: [{ name: 'a' }, { name: 'a' }] }, '"a": is at [0], [1]; keep one of them'],
    [{ hostAliases: [first, second] }, '"::1": is at [0], [1]; keep one of them, with the hostnames of all'],
  ])('of a Pod: %j', (podSpec, want) => {
    expect(saidOf(withPod(podSpec))).toEqual([`${POD}.${Object.keys(podSpec)[0]}[1]: Duplicate value: ${want}`]);
  });
});

describe('a quantity that is none is refused with what to write', () => {
  const NONE = 'must be a quantity, such as 500m, 128Mi or 2Gi';
  test.each([
    ['cpu', 0.5, '0.5: a quantity that is not whole must be a string: write "0.5" or 500m'],
    ['cpu', 1.5, '1.5: a quantity that is not whole must be a string: write "1.5" or 1500m'],
    ['cpu', 0.00015, '0.00015: a quantity that is not whole must be a string: write "0.00015"'],
    ['memory', 1.5, '1.5: a quantity that is not whole must be a string: write "1.5"'],
    ['memory', '1GB', `"1GB": ${NONE}; write 1G or 1Gi`],
    ['memory', '512mb', `"512mb": ${NONE}; write 512M or 512Mi`],
    ['memory', '64K', `"64K": ${NONE}; write 64k or 64Ki`],
    ['memory', '1 Gi', `"1 Gi": ${NONE}; write 1G or 1Gi`],
    ['cpu', '0,5', `"0,5": ${NONE}; write 0.5`],
    ['cpu', '500 m', `"500 m": ${NONE}; write 500m`],
    ['cpu', 'much', `"much": ${NONE}`],
    ['cpu', '', `"": ${NONE}`],
  ])('%s: %j', (resource, quantity, want) => {
    for (const kind of ['limits', 'requests']) {
      expect(saidOf(withContainer({ resources: { [kind]: { [resource]: quantity } } }))).toEqual([
        `${CONTAINER}.resources.${kind}.${resource}: Invalid value: ${want}`,
      ]);
    }
  });

  test('wherever there are quantities', () => {
    const volumes = [
      { name: 'a', emptyDir: { sizeLimit: 0.5 } },
      { name: 'b', ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: 0.5 } } } } } },
    ];
    const resources = { limits: { cpu: 0.5 } };
    const object = withPod({ volumes, resources, overhead: { cpu: 0.5 }, initContainers: [{ resources }] });
    expect(saidOf(object)).toHaveLength(5);
  });
});

describe('a text that YAML reads as something else is refused with the quotes that it needs', () => {
  test.each([
    ['env[0].value', { env: [{ name: 'A', value: 8080 }] }, '8080', '"8080"'],
    ['env[0].value', { env: [{ name: 'A', value: true }] }, 'true', '"true"'],
    ['env[0].name', { env: [{ name: 1 }] }, '1', '"1"'],
    ['args[1]', { args: ['a', 1.5] }, '1.5', '"1.5"'],
    ['command[0]', { command: [false] }, 'false', '"false"'],
  ])('%s of a container', (field, container, value, quoted) => {
    expect(saidOf(withContainer(container))).toEqual([
      `${CONTAINER}.${field}: Invalid value: ${value}: must be of type string; put it in quotes: ${quoted}`,
    ]);
  });

  test('labels and annotations of Jobs and Pods, node selectors and tolerations', () => {
    const spec = { containers: [], nodeSelector: { gpu: true }, tolerations: [{ key: 'gpu', value: true }] };
    const metadata = { labels: { version: 1.2 }, annotations: { 'example.com/on': true } };
    const jobTemplate = { metadata, spec: { template: { metadata, spec } } };
    const said = saidOf(cronJob({ jobTemplate } as unknown as Partial<CronJob['spec']>));
    expect(said.map((each) => each.split(': ')[0]).toSorted()).toEqual([
      'spec.jobTemplate.metadata.annotations[example.com/on]',
      'spec.jobTemplate.metadata.labels.version',
      'spec.jobTemplate.spec.template.metadata.annotations[example.com/on]',
      'spec.jobTemplate.spec.template.metadata.labels.version',
      `${POD}.nodeSelector.gpu`,
      `${POD}.tolerations[0].value`,
    ]);
  });
});

test.each([
  ['variables that differ', withContainer({ env: [{ name: 'A' }, { name: 'B' }] })],
  ['a port of two protocols', withContainer({ ports: [{ containerPort: 1 }, { containerPort: 1, protocol: 'UDP' }] })],
  ['quantities', withContainer({ resources: { limits: { cpu: 1, memory: '1e3', x: '.5', y: '-1Ki', z: '100m' } } })],
  ['fields that are null', withContainer({ env: [{ name: 'A', value: null }, null], args: null, resources: null })],
  ['what the schema alone refuses', withContainer({ env: 5, ports: [7], args: {}, resources: { limits: [1.5] } })],
])('says nothing of %s', (_, object) => {
  expect(saidOf(object)).toEqual([]);
});

test('an update may leave what is there, and not add to it', () => {
  const env = [{ name: 'A' }, { name: 'A' }];
  expect(saidOf(withContainer({ env, image: 'new' }), withContainer({ env }))).toEqual([]);
  expect(saidOf(withContainer({ env: [...env, { name: 'A' }] }), withContainer({ env }))).toHaveLength(2);
});

test('finds thousands of faults in a moment, and reports only the first ones', () => {
  const env = Array.from({ length: 100_000 }, () => ({ name: 'A', value: 1 }));
  expect(saidOf(withContainer({ env })).length).toBeLessThanOrEqual(50);
});

test('a name that is not a scalar is not used as a name, whatever its content', () => {
  const odd = JSON.parse('{"toString":0,"valueOf":0}');
  expect(() =>
    saidOf(withContainer({ env: [{ name: odd }, { name: odd }, { name: [1] }, { name: [1] }] })),
  ).not.toThrow();
});
