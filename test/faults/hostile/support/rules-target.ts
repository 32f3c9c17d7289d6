/** The webhooks with unvalidated objects: faults, warnings, defaults. */
import { isDeepStrictEqual } from 'node:util';
import { isSameJson } from 'controller-runtime/schema';
import fc from 'fast-check';
import { defaultCronJob } from '../../../../api/v1/cronjob-defaulting.ts';
import type { CronJob } from '../../../../api/v1/cronjob-types.ts';
import { validateCronJob } from '../../../../api/v1/cronjob-validation.ts';
import { getCronJobWarnings } from '../../../../api/v1/cronjob-warnings.ts';
import { validateJobTemplate } from '../../../../api/v1/job-template-validation.ts';
import { at, cronJob } from '../../../support/cron-jobs.ts';
import { expectWithinCpu } from './cpu.ts';
import { CRON_JOB_TEXTS } from './cron-job-texts.ts';
import { anyValue, applyEdits, editsWith, type Json, type JsonEdit } from './json.ts';
import { findSpecFaults } from './stored-status.ts';
import type { AttackTarget } from './target.ts';

const MAX_CALL_MS = 50;
const MAX_FAULTS = 50;

interface RulesInput {
  readonly base: number;
  readonly edits: readonly JsonEdit[];
  readonly oldEdits: readonly JsonEdit[] | undefined;
}

export const rulesTarget: AttackTarget<RulesInput> = {
  name: 'rules of the webhooks',
  inputs: fc.record({
    base: fc.nat(CRON_JOB_TEXTS.length - 1),
    edits: editsWith(anyValue),
    oldEdits: fc.option(editsWith(anyValue), { nil: undefined }),
  }),
  check: ({ base, edits, oldEdits }) => {
    const text = CRON_JOB_TEXTS[base] ?? '';
    checkRules(parseEdited(text, edits), oldEdits && parseEdited(text, oldEdits));
  },
  format: ({ base, edits, oldEdits }) => {
    const text = CRON_JOB_TEXTS[base] ?? '';
    return JSON.stringify([applyEdits(text, edits), oldEdits && applyEdits(text, oldEdits)]);
  },
};

/** Few inputs with a thousand containers or with texts of a mebibyte, because each takes a while to create. */
export const largeRulesTarget: AttackTarget<RulesInput> = {
  ...rulesTarget,
  name: 'rules of the webhooks, large objects',
  inputs: fc.record({
    base: fc.nat(CRON_JOB_TEXTS.length - 1),
    edits: editsWith(fc.constantFrom<Json>('x'.repeat(2 ** 20), '\u202e'.repeat(2 ** 18), containers(1000)), 3),
    oldEdits: fc.constant(undefined),
  }),
};

function containers(count: number): Json {
  return Array.from({ length: count }, (_, index) => ({ name: `c${index}`, image: 'busybox', env: [] }));
}

/** The object as parsed from a request. */
function parseEdited(text: string, edits: readonly JsonEdit[]): CronJob {
  return JSON.parse(JSON.stringify(applyEdits(text, edits)));
}

function checkRules(object: CronJob, old: CronJob | undefined): void {
  const parsed = JSON.stringify([object, old]);
  const context = { now: new Date(at('00:10:00')), oldCronJob: old, failoverSeconds: 15 };
  const faults = expectWithinCpu(MAX_CALL_MS, () => validateCronJob(object, old));
  checkFaults(faults);
  const warnings = expectWithinCpu(MAX_CALL_MS, () => getCronJobWarnings(object, context));
  for (const warning of warnings) if (warning.length > 256) throw new Error(`a long warning: ${warning}`);
  checkFaults(expectWithinCpu(MAX_CALL_MS, () => validateJobTemplate('spec.jobTemplate', getTemplate(object))));
  checkDefaults(object, old);
  if (faults.length === 0 && old === undefined) checkAgreement(object);
  if (JSON.stringify([object, old]) !== parsed) throw new Error('the object of the request was changed');
  checkNeighbour();
}

function checkFaults(faults: ReturnType<typeof validateCronJob>): void {
  if (faults.length > MAX_FAULTS) throw new Error(`${faults.length} faults`);
  for (const { reason, field, message } of faults) {
    if (!/^FieldValue[A-Z]\w+$/.test(reason)) throw new Error(`reason ${reason}`);
    if (!/^(metadata\.name|spec(\.\w+|\[[^\]]{0,400}\])*)$/u.test(field)) throw new Error(`field ${field}`);
    if (message.length > 1000) throw new Error(`${field}: a message of ${message.length} characters`);
  }
}

function checkDefaults(object: CronJob, old: CronJob | undefined): void {
  const defaulted = expectWithinCpu(MAX_CALL_MS, () => defaultCronJob(object));
  if (!isSameJson(defaultCronJob(defaulted), defaulted)) throw new Error('defaults of defaults differ');
  const [before, after] = [validateCronJob(object, old), validateCronJob(defaulted, old)];
  if (after.length > before.length) throw new Error(`defaults are refused: ${JSON.stringify(after)}`);
}

/** The CRD accepts every object that the webhooks admit as new. It drops null in fields that have defaults or may be absent. */
function checkAgreement(object: CronJob): void {
  if (isBeingDeleted(object)) return;
  const { spec } = object as { readonly spec?: unknown };
  const fields = Object.entries(spec as object).filter(([, value]) => value !== null);
  const faults = findSpecFaults(Object.fromEntries(fields));
  if (faults.length > 0) throw new Error(`admitted, but the CRD refuses it: ${faults.join('; ')}`);
}

function isBeingDeleted(object: unknown): boolean {
  const { metadata } = object as { readonly metadata?: { readonly deletionTimestamp?: unknown } | null };
  return (metadata?.deletionTimestamp ?? undefined) !== undefined;
}

function getTemplate(object: unknown): unknown {
  const { spec } = (object ?? {}) as { readonly spec?: { readonly jobTemplate?: unknown } | null };
  return spec?.jobTemplate;
}

const NEIGHBOUR = validateOthers();

function validateOthers(): readonly unknown[] {
  const valid = cronJob({ schedule: '0 3 * * *', timeZone: 'Europe/Berlin', concurrencyPolicy: 'Forbid' });
  const invalid = cronJob({ schedule: '61 * * * *', timeZone: 'Mars/Olympus' });
  const context = { now: new Date(at('00:10:00')), failoverSeconds: 15 };
  return [valid, invalid].map((each) => [
    validateCronJob(each),
    getCronJobWarnings(each, context),
    defaultCronJob(each),
  ]);
}

function checkNeighbour(): void {
  if (!isDeepStrictEqual(validateOthers(), NEIGHBOUR)) throw new Error('another CronJob gets another result');
}
