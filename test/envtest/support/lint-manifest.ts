/** The text of a CronJob, assembled from parts. */

/** Replaced by the name of the object, so that each file is unique. */
export const NAME = 'a-name';

export interface ManifestParts {
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

export function formatManifest({
  schedule = '"0 * * * *"',
  metadata,
  spec,
  jobTemplate,
  ...rest
}: ManifestParts): string {
  return [
    'apiVersion: batch.tutorial.kubebuilder.io/v1',
    'kind: CronJob',
    'metadata:',
    `  name: ${NAME}`,
    ...(metadata === undefined ? [] : [`  ${metadata}`]),
    'spec:',
    `  schedule: ${schedule}`,
    ...(spec === undefined ? [] : [`  ${spec}`]),
    `  jobTemplate: ${jobTemplate ?? `\n${formatTemplate(rest)}`}`,
    '',
  ].join('\n');
}

/** Text below `jobTemplate`. */
export function formatTemplate({ job, pod, restartPolicy = 'Never', container }: ManifestParts): string {
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
