/** What the webhooks of a CronJob say: the rules are in api/v1, and what only the API server knows, job-dry-run.ts asks. */
import { defaultCronJob } from '../api/v1/cronjob-defaulting.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { isBeingDeleted, validateCronJob } from '../api/v1/cronjob-validation.ts';
import { cronJobWarnings } from '../api/v1/cronjob-warnings.ts';
import { isChanged, isRecord, valueAt } from '../api/v1/raw-object.ts';
import type { Writer } from '../runtime/client/client.ts';
import type { Clock } from '../runtime/clock/clock.ts';
import { DEFAULT_TIMINGS } from '../runtime/leader-election/leader-elector.ts';
import type { AdmissionContext, Validator, Verdict, WebhookRegistrar } from '../runtime/webhook/admission.ts';
import { DryRunPlaces } from './dry-run-places.ts';
import { dryRunJob } from './job-dry-run.ts';
import { cronJobs } from './resources.ts';

interface CronJobWebhookOptions {
  /** Makes Jobs on trial. */
  readonly client: Writer;
  readonly clock: Clock;
}

const FAILOVER_SECONDS = DEFAULT_TIMINGS.leaseDurationMs / 1000;

class CronJobValidator implements Validator<CronJob> {
  readonly #client: Writer;
  readonly #clock: Clock;
  readonly #places = new DryRunPlaces();

  constructor({ client, clock }: CronJobWebhookOptions) {
    this.#client = client;
    this.#clock = clock;
  }

  validateCreate(cronJob: CronJob, context: AdmissionContext): Promise<Verdict> {
    return this.#validate(cronJob, undefined, context);
  }

  validateUpdate(cronJob: CronJob, old: CronJob, context: AdmissionContext): Promise<Verdict> {
    return this.#validate(cronJob, old, context);
  }

  async #validate(cronJob: CronJob, old: CronJob | undefined, context: AdmissionContext): Promise<Verdict> {
    const now = this.#clock.now();
    const errors = validateCronJob(cronJob, old);
    const warnings = cronJobWarnings(cronJob, { old, now, failoverSeconds: FAILOVER_SECONDS });
    if (!needsDryRun(cronJob, old)) return { errors, warnings };
    const job = await dryRunJob(cronJob, {
      ...context,
      client: this.#client,
      clock: this.#clock,
      places: this.#places,
    });
    return { errors: [...errors, ...job.errors], warnings: [...warnings, ...job.warnings] };
  }
}

/** Also while suspended, and when the request is a dry run itself: nothing is stored. */
function needsDryRun(cronJob: CronJob, old: CronJob | undefined): boolean {
  const isTemplate = isRecord(valueAt(cronJob, 'spec', 'jobTemplate'));
  return isTemplate && !isBeingDeleted(cronJob) && isChanged(cronJob, old, 'spec', 'jobTemplate');
}

/** Registers the defaulting and the validating webhook of CronJobs. */
export function setupWebhooksWithManager(webhooks: WebhookRegistrar, options: CronJobWebhookOptions): void {
  webhooks.defaulter(cronJobs, { default: defaultCronJob });
  webhooks.validator(cronJobs, new CronJobValidator(options));
}
