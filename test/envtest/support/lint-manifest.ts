/** The text of a CronJob, assembled from parts. */

/** Replaced by the name of the object, so that each file is unique. */
export const NAME = 'a-name';

export interface Parts {
  readonly schedule?: string;
  readonly metadata?: string;
  readonly spec?: string;
  readonly jobTemplate?: string;
  readonly job?: string;
  readonly pod?: string;
  readonly restartPolicy?: string;
  /** Text within braces. */
  readonly container?: string;
}

export function manifest({ schedule = '"0 * * * *"', metadata, spec, jobTemplate, ...rest }: Parts): string {
  return [
    'apiVersion: batch.tutorial.kubebuilder.io/v1',
    'kind: CronJob',
    'metadata:',
    `  name: ${NAME}`,
    ...(metadata === undefined ? [] : [`  ${metadata}`]),
    'spec:',
    `  schedule: ${schedule}`,
    ...(spec === undefined ? [] : [`  ${spec}`]),
    `  jobTemplate: ${jobTemplate ?? `\n${template(rest)}`}`,
    '',
  ].join('\n');
}

/** Text below `jobTemplate`. */
export function template({ job, pod, restartPolicy = 'Never', container }: Parts): string {
  const lines = [
    'spec:',
    ...(job === undefined ? [] : [`  ${job}`]),
    '  template:',
    '    spec:',
    `      restartPolicy: ${restartPolicy}`,
    ...(pod === undefined ? [] : [`      ${pod}`]),
    `      containers: [{name: a, image: b${container === undefined ? '' : `, ${container}`}}]`,
  ];
  return lines.map((line) => `    ${line}`).join('\n');
}
