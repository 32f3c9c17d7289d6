import { CONDITION_REASONS, EVENT_REASONS } from '../../api/v1/reasons.ts';
import { cronJobCrd, readJobTemplateSchema } from '../crd/cronjob-crd.ts';
import { annotations } from './api-reference-annotations.ts';
import { apiReferencePage } from './api-reference-page.ts';
import { samplesByField } from './api-reference-samples.ts';

/** The reference of the kind as Markdown, made from the CRD and from the tables of reasons and annotations in the sources. */
export function apiReference(): string {
  return apiReferencePage({
    // The page points to Kubernetes for the Job: its thousand fields are not repeated here.
    crd: cronJobCrd({ type: 'object' }),
    kubernetesVersion: readJobTemplateSchema().kubernetesVersion,
    annotations: annotations(),
    eventReasons: EVENT_REASONS,
    conditionReasons: CONDITION_REASONS,
    samples: samplesByField(),
  });
}
