/**
 * Properties of the checks for any JSON as a CronJob: no check throws, and every message is useful. A failure prints the seed that
 * repeats it.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { defaultCronJob } from './cronjob-defaulting.ts';
import { type CronJob, cronJobSpecSchema } from './cronjob-types.ts';
import { validateCronJob } from './cronjob-validation.ts';
import { getCronJobWarnings } from './cronjob-warnings.ts';

const FIELDS = Object.keys(cronJobSpecSchema.shape);
const aText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 2000 }),
  fc.constantFrom('0 0 31 2 *', 'TZ=0', '@every 1s', 'Europe/Berlin', '2026-01-01T00:00:00Z', 'Env'),
);
const aNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constant(2 ** 63),
);
const aValue = fc.oneof(fc.jsonValue(), aText, aNumber);
const aSpec = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(fc.constantFrom(...FIELDS), aValue),
  fc.dictionary(fc.constantFrom(...FIELDS), aValue).map((fields) => ({ ...cronJob().spec, ...fields })),
);
const anObject = fc
  .tuple(aSpec, fc.oneof(fc.constant(cronJob().metadata), fc.jsonValue()))
  .map(([spec, metadata]) => ({ ...cronJob(), metadata, spec }) as unknown as CronJob);

test('what is refused is a list of errors, each with a field, a reason and a short message', () => {
  fc.assert(
    fc.property(anObject, fc.option(anObject, { nil: undefined }), (object, old) => {
      for (const { reason, field, message } of validateCronJob(object, old)) {
        expect(reason).toMatch(/^FieldValue[A-Z]/);
        expect(field).toMatch(/^(metadata\.name|spec(\.\w+(\[\d+\])?)*)$/);
        expect(message).not.toContain(`${field}:`);
        expect(message.length).toBeLessThan(1000);
      }
    }),
  );
});

test('there are warnings and defaults for it', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  fc.assert(
    fc.property(anObject, fc.option(anObject, { nil: undefined }), (object, old) => {
      for (const warning of getCronJobWarnings(object, { now, oldCronJob: old, failoverSeconds: 15 })) {
        expect(warning.length).toBeLessThan(256);
      }
      expect(defaultCronJob(defaultCronJob(object))).toEqual(defaultCronJob(object));
    }),
  );
});
