import { expect, test } from 'vitest';
import {
  duplicate,
  type FieldError,
  fieldPath,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from './field-error.ts';

// The output of k8s.io/apimachinery/pkg/util/validation/field of Kubernetes 1.34.
test.each<[FieldError, reason: string, message: string]>([
  [required('a'), 'FieldValueRequired', 'Required value'],
  [required('a', 'give one'), 'FieldValueRequired', 'Required value: give one'],
  [invalid('a', 'x', 'must be short'), 'FieldValueInvalid', 'Invalid value: "x": must be short'],
  [invalid('a', 'say "x"', 'why'), 'FieldValueInvalid', 'Invalid value: "say \\"x\\"": why'],
  [invalid('a', 5, 'why'), 'FieldValueInvalid', 'Invalid value: 5: why'],
  [invalid('a', true, 'why'), 'FieldValueInvalid', 'Invalid value: true: why'],
  [invalid('a', null, 'why'), 'FieldValueInvalid', 'Invalid value: null: why'],
  [invalid('a', { b: 1 }, 'why'), 'FieldValueInvalid', 'Invalid value: "object": why'],
  [invalid('a', [1], 'why'), 'FieldValueInvalid', 'Invalid value: "array": why'],
  [invalid('a', 'x'.repeat(101), 'why'), 'FieldValueInvalid', `Invalid value: "${'x'.repeat(100)}…": why`],
  [notSupported('a', 'x', ['b', 'c']), 'FieldValueNotSupported', 'Unsupported value: "x": supported values: "b", "c"'],
  [forbidden('a', 'is immutable'), 'FieldValueForbidden', 'Forbidden: is immutable'],
  [tooLong('a', 'xxxx', 3), 'FieldValueTooLong', 'Too long: may not be more than 3 characters'],
  [tooLong('a', 'xxxx', 3, 'cut it'), 'FieldValueTooLong', 'Too long: may not be more than 3 characters; cut it'],
  [tooMany('a', [1, 2, 3], 2), 'FieldValueTooMany', 'Too many: 3: must have at most 2 items'],
  [duplicate('a', 'x'), 'FieldValueDuplicate', 'Duplicate value: "x"'],
])('%# has the wording of built-in kinds: $message', (error, reason, message) => {
  expect(error).toEqual({ field: 'a', reason, message });
});

test.each<[steps: readonly (string | number)[], path: string]>([
  [['spec', 'image'], 'spec.image'],
  [['spec', 'containers', 0, 'name'], 'spec.containers[0].name'],
  [['metadata', 'annotations', 'example.com/x'], 'metadata.annotations[example.com/x]'],
  [['metadata', 'labels', 'a-b'], 'metadata.labels[a-b]'],
  [['spec', 'byName', '0'], 'spec.byName[0]'],
  [['spec', 'byName', ''], 'spec.byName[]'],
  [['example.com/x'], '[example.com/x]'],
  [[], ''],
])('the path of %j is %s', (steps, path) => {
  expect(fieldPath(...steps)).toBe(path);
});
