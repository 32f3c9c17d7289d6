/**
 * Generates what the installation with v2 changes in the CRD. The schema of v2 is a copy of the schema of v1 except for the schedule, so
 * kustomize and Helm copy v1, and the project does not need a second CRD of 300 KB.
 */
import { manifestYaml } from 'controller-runtime/manifests';
import { OPERATOR_NAME } from '../../cmd/flags.ts';
import { createCronJobCrdWithV2 } from './cronjob-crd.ts';

/** The Service in config/default, whose names kustomize does not change in a patch. */
const SERVICE = { name: `${OPERATOR_NAME}-webhook-service`, namespace: `${OPERATOR_NAME}-system` };
const SCHEDULE_PATH = '/schema/openAPIV3Schema/properties/spec/properties/schedule';

/** Returns a JSON patch for kustomize. */
export function createV2PatchYaml(): string {
  const { conversion } = createCronJobCrdWithV2({ service: SERVICE }).spec;
  return manifestYaml([
    [
      { op: 'copy', from: '/spec/versions/0', path: '/spec/versions/1' },
      { op: 'replace', path: '/spec/versions/1/name', value: 'v2' },
      { op: 'replace', path: '/spec/versions/1/storage', value: false },
      { op: 'replace', path: `/spec/versions/1${SCHEDULE_PATH}`, value: getScheduleSchema() },
      { op: 'add', path: '/spec/conversion', value: conversion },
    ],
  ]);
}

/** Returns the schema of the schedule for the chart. */
export function createScheduleSchemaYaml(): string {
  return manifestYaml([getScheduleSchema()]);
}

function getScheduleSchema(): object {
  const { versions } = createCronJobCrdWithV2().spec;
  const schedule = versions[1]?.schema.openAPIV3Schema.properties?.['spec']?.properties?.['schedule'];
  if (schedule === undefined) throw new Error('the CRD has no schedule in v2');
  return schedule;
}
