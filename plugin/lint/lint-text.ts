/** Checks the CronJobs of a text. */

import { DEFAULT_TIMINGS } from 'controller-runtime';
import type { LineCounter } from 'yaml';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJobWarnings } from '../../api/v1/cronjob-warnings.ts';
import { GROUP, KIND } from '../../api/v1/groupversion.ts';
import { valueAt } from '../../api/v1/raw-object.ts';
import { asNew, cronJobFaults, cronJobNullNotes } from './cron-job-faults.ts';
import type { Fault } from './fault.ts';
import { type Manifest, readManifests, repeatedKeys } from './manifests.ts';
import type { LintedCronJob, LintResult, Problem } from './problem.ts';
import { withOwnText } from './quoting.ts';
import { meaningOf } from './schedule-meaning.ts';
import { UNKNOWN_FIELD } from './schema-faults.ts';

/** A manifest with its name, such as that of a file. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** @param now Warnings tell of clock changes that come after it. */
export function lintText({ name, text }: NamedText, now: Date): LintResult {
  const { manifests, faults, lines } = readManifests(text);
  const scribe = new Scribe(name, text, lines);
  const cronJobs: LintedCronJob[] = [];
  let others = 0;
  for (const fault of faults) scribe.fault(fault);
  const ours = manifests.filter(({ value }) => kindOf(value) === 'Ours');
  for (const document of new Set(ours.map((manifest) => manifest.document)))
    repeatedKeys(document).forEach(scribe.fault);
  for (const manifest of manifests) {
    switch (kindOf(manifest.value)) {
      case 'Ours':
        cronJobs.push(lintCronJob(manifest, scribe, now));
        break;
      case 'Misnamed':
        scribe.say('error', manifest, 'kind', `the group ${GROUP} has only the kind ${KIND}`);
        break;
      case 'Builtin':
        scribe.say('note', manifest, 'apiVersion', BUILTIN);
        others += 1;
        break;
      case 'Other':
        others += 1;
    }
  }
  const problems = scribe.problems.toSorted((left, right) => left.line - right.line || left.column - right.column);
  return { problems, cronJobs, others };
}

const BUILTIN =
  "this is a CronJob of batch/v1, which Kubernetes' own controller runs; kubectl tcj import --dry-run says what would change as one of ours";

type Kind = 'Ours' | 'Misnamed' | 'Builtin' | 'Other';

function kindOf(value: unknown): Kind {
  const [apiVersion, kind] = [valueAt(value, 'apiVersion'), valueAt(value, 'kind')];
  const [group] = typeof apiVersion === 'string' ? apiVersion.split('/') : [];
  if (group === GROUP) return kind === KIND ? 'Ours' : 'Misnamed';
  return group === 'batch' && kind === 'CronJob' ? 'Builtin' : 'Other';
}

const FAILOVER_SECONDS = DEFAULT_TIMINGS.leaseDurationMs / 1000;

function lintCronJob(manifest: Manifest, scribe: Scribe, now: Date): LintedCronJob {
  const { value } = manifest;
  const faults = cronJobFaults(value);
  for (const { field, message } of faults) scribe.say('error', manifest, field, message);
  for (const { field, message } of cronJobNullNotes(value)) {
    if (!faults.some((fault) => fault.field === field)) scribe.say('note', manifest, field, message);
  }
  // Whatever the object contains, says its contract.
  const warnings = cronJobWarnings(asNew(value) as CronJob, { now, failoverSeconds: FAILOVER_SECONDS });
  for (const warning of warnings) {
    const [, field = '', message = warning] = /^([a-z][^\s]*?): (.*)$/s.exec(warning) ?? [];
    scribe.say('warning', manifest, field, message);
  }
  const meaning = meaningOf(value, now);
  if (meaning.words !== undefined) {
    scribe.say('note', manifest, 'spec.schedule', `${meaning.words} (${meaning.timeZone})`);
  }
  const { file, line } = scribe.at(manifest, '');
  const textAt = (...path: readonly string[]) => {
    const text = valueAt(value, ...path);
    return typeof text === 'string' ? text : undefined;
  };
  return { file, line, namespace: textAt('metadata', 'namespace'), name: textAt('metadata', 'name'), ...meaning };
}

/** Longer than a number is. */
const MAX_OWN_TEXT = 100;

/** Writes problems down with their places. */
class Scribe {
  readonly problems: Problem[] = [];
  readonly #file: string;
  readonly #text: string;
  readonly #lines: LineCounter;

  constructor(file: string, text: string, lines: LineCounter) {
    this.#file = file;
    this.#text = text;
    this.#lines = lines;
  }

  readonly fault = ({ offset, message }: Fault): void => {
    this.problems.push({ level: 'error', ...this.#place(offset), message });
  };

  say(level: Problem['level'], manifest: Manifest, field: string, message: string): void {
    const offset = this.#offsetOf(manifest, field, message.startsWith(UNKNOWN_FIELD));
    const own = withOwnText(message, this.#text.slice(offset, offset + MAX_OWN_TEXT));
    this.problems.push({ level, ...this.#place(offset), field, message: own });
  }

  at(manifest: Manifest, field: string): Pick<Problem, 'file' | 'line' | 'column'> {
    return this.#place(this.#offsetOf(manifest, field, false));
  }

  #offsetOf({ places, path }: Manifest, field: string, isKey: boolean): number {
    return places.of([path, field].filter((part) => part !== '').join('.'), { isKey });
  }

  #place(offset: number): Pick<Problem, 'file' | 'line' | 'column'> {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line, column: [...this.#text.slice(offset - col + 1, offset)].length + 1 };
  }
}
