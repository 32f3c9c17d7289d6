/** The CustomResourceDefinition of CronJob, put together from api/v1. */
import { MAX_NAME_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import { cronJobSpecSchema, cronJobStatusSchema } from '../../api/v1/cronjob-types.ts';
import { GROUP, KIND, LIST_KIND, PLURAL, SHORT_NAME, SINGULAR, VERSION } from '../../api/v1/groupversion.ts';
import { jobTemplateOfCronJob } from './job-template-of-cronjob.ts';
import { PRINTER_COLUMNS, type PrinterColumn } from './printer-columns.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';
import { structuralFromZod } from './zod-schema.ts';

/** `apiextensions.k8s.io/v1`, as far as it is used here. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames: readonly string[];
    };
    readonly scope: 'Namespaced' | 'Cluster';
    readonly versions: readonly [
      {
        readonly name: string;
        readonly served: boolean;
        readonly storage: boolean;
        readonly additionalPrinterColumns: readonly PrinterColumn[];
        readonly subresources: { readonly status: Readonly<Record<never, never>> };
        readonly schema: { readonly openAPIV3Schema: StructuralSchema };
      },
    ];
  };
}

/** The CRD; `jobTemplate` is the schema that `spec.jobTemplate` gets. */
export function cronJobCrd(jobTemplate: StructuralSchema): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${PLURAL}.${GROUP}` },
    spec: {
      group: GROUP,
      names: { kind: KIND, listKind: LIST_KIND, plural: PLURAL, singular: SINGULAR, shortNames: [SHORT_NAME] },
      scope: 'Namespaced',
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          additionalPrinterColumns: PRINTER_COLUMNS,
          subresources: { status: {} },
          schema: { openAPIV3Schema: rootSchema(jobTemplate) },
        },
      ],
    },
  };
}

function rootSchema(jobTemplate: StructuralSchema): StructuralSchema {
  return {
    type: 'object',
    description: 'CronJob runs Jobs on a schedule.',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'Version of the schema this object is written in.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      spec: {
        ...structuralFromZod(cronJobSpecSchema, { JobTemplateSpec: jobTemplateOfCronJob(jobTemplate) }),
        description: 'What to run and when.',
      },
      status: {
        ...structuralFromZod(cronJobStatusSchema),
        description: 'What was seen last; written by the controller.',
      },
    },
    'x-kubernetes-validations': [NAME_RULE],
  };
}

/**
 * Only for new objects. The API server evaluates a rule that stands on the root on every write, of labels, finalizers and the
 * status too: without `oldSelf` an object that is older than the rule could be neither changed nor deleted.
 */
const NAME_RULE: ValidationRule = {
  rule: `oldSelf.hasValue() || self.metadata.name.size() <= ${MAX_NAME_LENGTH}`,
  optionalOldSelf: true,
  message:
    `must be no more than ${MAX_NAME_LENGTH} characters, because the names of its Jobs are 11 longer; ` +
    'choose a shorter name',
  fieldPath: '.metadata.name',
};
