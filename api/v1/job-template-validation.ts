/** The checks of a jobTemplate without an API server. */
import { type FieldError, invalid, notSupported, required } from 'controller-runtime/kubernetes';
import { valueAt } from './raw-object.ts';

/**
 * The most common faults for which the API server would refuse every Job of `jobTemplate`: an invalid restartPolicy, no container,
 * a container without a name or an image. Used only when the dry run returns no result. Never throws.
 *
 * @param field Path of the template: `spec.jobTemplate`.
 */
export function validateJobTemplate(field: string, jobTemplate: unknown): readonly FieldError[] {
  const podSpec = valueAt(jobTemplate, 'spec', 'template', 'spec');
  const path = `${field}.spec.template.spec`;
  return [
    ...restartPolicyErrors(`${path}.restartPolicy`, valueAt(podSpec, 'restartPolicy')),
    ...containersErrors(`${path}.containers`, valueAt(podSpec, 'containers')),
  ];
}

const RESTART_POLICIES = ['OnFailure', 'Never'];

function restartPolicyErrors(field: string, policy: unknown): readonly FieldError[] {
  if (policy === undefined) return [required(field, 'give OnFailure or Never')];
  return RESTART_POLICIES.some((each) => each === policy) ? [] : [notSupported(field, policy, RESTART_POLICIES)];
}

/** Further errors are only counted: a list may have a million elements. */
const MAX_CONTAINER_ERRORS = 10;

function containersErrors(field: string, containers: unknown): readonly FieldError[] {
  if (!Array.isArray(containers) || containers.length === 0) return [required(field, 'give at least one container')];
  const errors: FieldError[] = [];
  let omitted = 0;
  for (const error of containerErrors(field, containers)) {
    if (errors.length < MAX_CONTAINER_ERRORS) errors.push(error);
    else omitted++;
  }
  return omitted === 0 ? errors : [...errors, invalid(field, containers, `${omitted} more errors are not shown`)];
}

function* containerErrors(field: string, containers: readonly unknown[]): Generator<FieldError> {
  for (const [index, container] of containers.entries()) {
    for (const name of ['name', 'image']) {
      if ((valueAt(container, name) ?? '') !== '') continue;
      yield required(`${field}[${index}].${name}`, `give the ${name} of the container`);
    }
  }
}
