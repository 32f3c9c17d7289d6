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
const NOT_SUPPORTED = {
  reason: 'FieldValueNotSupported',
  field: `${POD}.restartPolicy`,
  message: 'Unsupported value: "Always": supported values: "OnFailure", "Never"',
};
const INCOMPLETE = [container, { name: 'c' }, { image: 'i', name: '' }, 7];

test.each([
  [{ restartPolicy: 'Never', containers: [container] }, []],
  [{ restartPolicy: 'OnFailure', containers: [container] }, []],
  [{ restartPolicy: 'Always', containers: [container] }, [NOT_SUPPORTED]],
  [{ containers: [container] }, [NO_POLICY]],
  [{ restartPolicy: 'Never' }, [NO_CONTAINER]],
  [{ restartPolicy: 'Never', containers: [] }, [NO_CONTAINER]],
  [
    { restartPolicy: 'Never', containers: INCOMPLETE },
    [
      required('containers[1].image', 'give the image of the container'),
      required('containers[2].name', 'give the name of the container'),
      required('containers[3].name', 'give the name of the container'),
      required('containers[3].image', 'give the image of the container'),
    ],
  ],
  [undefined, [NO_POLICY, NO_CONTAINER]],
])('%j', (podSpec, want) => {
  expect(validateJobTemplate('spec.jobTemplate', template(podSpec))).toEqual(want);
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
