import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateJobTemplate } from './job-template-validation.ts';

const POD = 'spec.jobTemplate.spec.template.spec';
const container = { name: 'c', image: 'i' };
const template = (podSpec: unknown) => ({ spec: { template: { spec: podSpec } } });
const required = (field: string, fix: string) => ({
  reason: 'FieldValueRequired',
  field: `${POD}.${field}`,
  message: `Required value: ${fix}`,
});

const NO_POLICY = required('restartPolicy', 'give OnFailure or Never');
const NO_CONTAINER = required('containers', 'give at least one container');

test.each([
  { name: 'Never', jobTemplate: template({ restartPolicy: 'Never', containers: [container] }), want: [] },
  { name: 'OnFailure', jobTemplate: template({ restartPolicy: 'OnFailure', containers: [container] }), want: [] },
  {
    name: 'Always',
    jobTemplate: template({ restartPolicy: 'Always', containers: [container] }),
    want: [
      {
        reason: 'FieldValueNotSupported',
        field: `${POD}.restartPolicy`,
        message: 'Unsupported value: "Always": supported values: "OnFailure", "Never"',
      },
    ],
  },
  { name: 'no policy, which means Always', jobTemplate: template({ containers: [container] }), want: [NO_POLICY] },
  { name: 'no containers', jobTemplate: template({ restartPolicy: 'Never' }), want: [NO_CONTAINER] },
  { name: 'a list of none', jobTemplate: template({ restartPolicy: 'Never', containers: [] }), want: [NO_CONTAINER] },
  {
    name: 'containers with something missing',
    jobTemplate: template({
      restartPolicy: 'Never',
      containers: [container, { name: 'c' }, { image: 'i', name: '' }, 7],
    }),
    want: [
      required('containers[1].image', 'give the image of the container'),
      required('containers[2].name', 'give the name of the container'),
      required('containers[3].name', 'give the name of the container'),
      required('containers[3].image', 'give the image of the container'),
    ],
  },
  { name: 'nothing', jobTemplate: undefined, want: [NO_POLICY, NO_CONTAINER] },
])('$name', ({ jobTemplate, want }) => {
  expect(validateJobTemplate('spec.jobTemplate', jobTemplate)).toEqual(want);
});

test('shows ten errors of containers, and says how many there are more', () => {
  const containers = Array.from({ length: 100_000 }, () => 0);
  const errors = validateJobTemplate('spec.jobTemplate', template({ restartPolicy: 'Never', containers }));
  expect(errors.slice(0, 10)).toEqual(
    [0, 1, 2, 3, 4].flatMap((index) => [
      required(`containers[${index}].name`, 'give the name of the container'),
      required(`containers[${index}].image`, 'give the image of the container'),
    ]),
  );
  expect(errors.slice(10)).toEqual([
    {
      reason: 'FieldValueInvalid',
      field: `${POD}.containers`,
      message: 'Invalid value: "array": 199990 more errors are not shown',
    },
  ]);
});

test('answers whatever the template is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (jobTemplate, podSpec) => {
      expect(validateJobTemplate('x', jobTemplate).length).toBeGreaterThan(0);
      expect(validateJobTemplate('x', template(podSpec)).length).toBeGreaterThan(0);
    }),
  );
});
