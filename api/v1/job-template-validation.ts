import { type FieldError, invalid, notSupported, required } from 'controller-runtime/kubernetes';
import { valueAt } from './raw-object.ts';

/**
 * Checks a jobTemplate without a dry run. Finds only the most common faults: an invalid restartPolicy, a missing container, and
 * containers without a name or an image. Never throws.
 *
 * @param field The path of the template, such as `spec.jobTemplate`.
 */
export function validateJobTemplate(field: string, jobTemplate: unknown): readonly FieldError[] {
  const podSpec = valueAt(jobTemplate, 'spec', 'template', 'spec');
  const path = `${field}.spec.template.spec`;
  return [
    ...validateRestartPolicy(`${path}.restartPolicy`, valueAt(podSpec, 'restartPolicy')),
    ...validateContainers(`${path}.containers`, valueAt(podSpec, 'containers')),
  ];
}

const RESTART_POLICIES = ['OnFailure', 'Never'];

function validateRestartPolicy(field: string, policy: unknown): readonly FieldError[] {
  if (policy === undefined) return [required(field, 'give OnFailure or Never')];
  return RESTART_POLICIES.some((each) => each === policy) ? [] : [notSupported(field, policy, RESTART_POLICIES)];
}

/** Limits the number of errors, because a list may have a million faulty elements. */
const MAX_CONTAINER_ERRORS = 10;

function validateContainers(field: string, containers: unknown): readonly FieldError[] {
  if (!Array.isArray(containers) || containers.length === 0) return [required(field, 'give at least one container')];
  const errors: FieldError[] = [];
  let omittedCount = 0;
  for (const error of generateContainerErrors(field, containers)) {
    if (errors.length < MAX_CONTAINER_ERRORS) errors.push(error);
    else omittedCount++;
  }
  return omittedCount === 0
    ? errors
    : [...errors, invalid(field, containers, `${omittedCount} more errors are not shown`)];
}

function* generateContainerErrors(field: string, containers: readonly unknown[]): Generator<FieldError> {
  for (const [index, container] of containers.entries()) {
    for (const name of ['name', 'image']) {
      if ((valueAt(container, name) ?? '') !== '') continue;
      yield required(`${field}[${index}].${name}`, `give the ${name} of the container`);
    }
  }
}
