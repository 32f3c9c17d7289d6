/** Checks the CronJobs in a text. */
import { DEFAULT_TIMINGS } from 'controller-runtime/internal';
import type { FieldError } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { getCronJobWarnings } from '../../../api/v1/cronjob-warnings.ts';
import { RUN_KIND } from '../../../api/v1/cronjobrun-types.ts';
import { API_VERSION, GROUP, KIND } from '../../../api/v1/groupversion.ts';
import { valueAt } from '../../../api/v1/raw-object.ts';
import { findCronJobFaults, findCronJobNullNotes, omitServerFields } from './cron-job-faults.ts';
import { convertToV1 } from './cron-job-v2.ts';
import { explainSchedule } from './explain-schedule.ts';
import { findFieldOffset, findFieldText } from './field-offset.ts';
import { listKustomizePatches } from './kustomize-patches.ts';
import { LinePositions } from './line-positions.ts';
import { findDuplicatesInDocument, type ManifestObject, type ManifestOrFault, readManifests } from './manifests.ts';
import type { LintedCronJob, LintResult, Problem } from './problem.ts';
import { UNKNOWN_FIELD_PREFIX } from './schema-faults.ts';
import { quoteSourceText, suggestQuotes } from './suggest-quotes.ts';
import { hasTemplateSyntax, hasTemplateTags, isTemplateValue, mentionsCronJob, YTT_MARK } from './template-syntax.ts';

export interface NamedText {
  readonly name: string;
  readonly text: string;
  /** Whether lint found the file in a folder. In files from folders, lint checks only CronJobs and skips templates. */
  readonly isFromFolder?: boolean;
}

/** @param now Warnings about clock changes include only changes after this time. */
export function lintText(source: NamedText, now: Date): LintResult {
  const linter = new TextLinter(source, now);
  for (const manifest of readManifests(source.text)) {
    if (manifest.kind === 'fault') linter.addFault(manifest);
    else linter.checkManifest(manifest);
  }
  linter.checkIgnoredText();
  const problems = linter.problems.toSorted((left, right) => left.line - right.line || left.column - right.column);
  const { cronJobs, otherObjectCount, templateCount, patches } = linter;
  return { problems, cronJobs, otherObjectCount, templateCount, patches };
}

const BATCH_CRON_JOB_NOTE =
  'this is a batch/v1 CronJob, which Kubernetes itself runs; to see it converted, use kubectl tcj import --dry-run';

/** Only clusters with config/overlays/v2 serve version v2. */
const V2_API_VERSION = `${GROUP}/v2`;

const MISSING_API_VERSION_MESSAGE = `Required value: use ${API_VERSION}, or batch/v1 for a Kubernetes CronJob`;

const ARRAY_MESSAGE =
  'kubectl does not accept a list of objects; separate them with "---" lines, or use {apiVersion: v1, kind: List, items: [...]}';

/** Matches messages about document limits. For faults of document limits, lint does not suggest quotes around the value. */
const LIMIT_MESSAGE_PATTERN = /^(?:the document|aliases) /;

const IGNORED_TEXT_PATTERN = /^\.\.\.(?=\s)(?:(?!^---)[\s\S])*/gm;
const IGNORED_TEXT_MESSAGE = 'kubectl ignores the CronJob after "..."; use --- between documents';
const INVALID_UTF_8_MESSAGE = 'this is not valid UTF-8; kubectl replaces it with \ufffd';

type ManifestKind = 'CronJob' | 'CronJobV2' | 'UnknownKind' | 'WithoutApiVersion' | 'BatchCronJob' | 'Other';

function classifyManifest(value: unknown): ManifestKind {
  const [apiVersion, kind] = [valueAt(value, 'apiVersion'), valueAt(value, 'kind')];
  const [group, version] = typeof apiVersion === 'string' ? apiVersion.split('/') : [];
  // kubectl also accepts kinds in lower case.
  const isKind = (name: string) => kind === name || kind === name.toLowerCase();
  if (group === GROUP && isKind(KIND)) return apiVersion === V2_API_VERSION ? 'CronJobV2' : 'CronJob';
  if (group === GROUP) return isKind(RUN_KIND) ? 'Other' : 'UnknownKind';
  if (kind === KIND && version === undefined) return 'WithoutApiVersion';
  return group === 'batch' && kind === 'CronJob' ? 'BatchCronJob' : 'Other';
}

function isCronJobArray(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => classifyManifest(item) === 'CronJob');
}

const FAILOVER_SECONDS = DEFAULT_TIMINGS.leaseDurationMs / 1000;

/** The maximum length of a value that a message quotes. All numbers and booleans are shorter. */
const MAX_QUOTED_LENGTH = 100;

class TextLinter {
  readonly problems: Problem[] = [];
  readonly cronJobs: LintedCronJob[] = [];
  otherObjectCount = 0;
  templateCount = 0;
  readonly patches: string[] = [];
  readonly #source: NamedText;
  readonly #now: Date;
  readonly #lines: LinePositions;
  /** The last document whose keys were checked. */
  #checkedDocument: unknown;

  constructor(source: NamedText, now: Date) {
    this.#source = source;
    this.#now = now;
    this.#lines = new LinePositions(source.text);
  }

  addFault({ start, end, offset, message }: Extract<ManifestOrFault, { kind: 'fault' }>): void {
    const { text, isFromFolder = false } = this.#source;
    const faultyText = start === end ? text : text.slice(start, end);
    // kubectl stops at a fault in any document of the file.
    if (isFromFolder && !mentionsCronJob(text)) return;
    if (isFromFolder && (hasTemplateTags(faultyText) || hasTemplateSyntax(this.#lines.getLine(offset)))) {
      this.templateCount++;
      return;
    }
    const quotesHint = LIMIT_MESSAGE_PATTERN.test(message) ? '' : suggestFix(this.#lines.getLine(offset));
    this.#addProblem('error', offset, { message: `${message}${quotesHint}` });
  }

  checkManifest(manifest: ManifestObject): void {
    switch (classifyManifest(manifest.value)) {
      case 'CronJob':
        this.#checkCronJob(manifest);
        break;
      case 'UnknownKind':
        this.#addFieldProblem('error', manifest, 'kind', describeUnknownKind(valueAt(manifest.value, 'kind')));
        break;
      case 'WithoutApiVersion':
        // In a folder, the object may be a patch or a part of another document.
        if (this.#source.isFromFolder !== true)
          this.#addFieldProblem('error', manifest, 'apiVersion', MISSING_API_VERSION_MESSAGE);
        else this.otherObjectCount++;
        break;
      case 'CronJobV2': {
        const { value, faults } = convertToV1(manifest.value);
        this.#checkCronJob({ ...manifest, value }, faults);
        break;
      }
      case 'BatchCronJob':
        this.#addFieldProblem('note', manifest, 'apiVersion', BATCH_CRON_JOB_NOTE);
        this.otherObjectCount++;
        break;
      case 'Other':
        if (isCronJobArray(manifest.value)) this.#addFieldProblem('error', manifest, '', ARRAY_MESSAGE);
        this.otherObjectCount++;
        this.patches.push(...listKustomizePatches(manifest.value, this.#source.name));
    }
  }

  #checkCronJob(manifest: ManifestObject, scheduleFaults: readonly FieldError[] = []): void {
    const { value } = manifest;
    const otherFaults = findCronJobFaults(value).filter(
      ({ field }) => scheduleFaults.length === 0 || field !== 'spec.schedule',
    );
    const faults = [...scheduleFaults, ...otherFaults];
    if (this.#source.isFromFolder === true && faults.some(({ field }) => this.#isTemplated(manifest, field))) {
      this.templateCount++;
      return;
    }
    this.#checkText(manifest);
    for (const { field, message } of faults) this.#addFieldProblem('error', manifest, field, message);
    for (const { field, message } of findCronJobNullNotes(value)) {
      if (!faults.some((fault) => fault.field === field)) this.#addFieldProblem('note', manifest, field, message);
    }
    // cronJobWarnings accepts any object.
    const warnings = getCronJobWarnings(omitServerFields(value) as CronJob, {
      now: this.#now,
      failoverSeconds: FAILOVER_SECONDS,
    });
    for (const warning of warnings) {
      const [, field = '', message = warning] = /^([a-z][^\s]*?): (.*)$/s.exec(warning) ?? [];
      this.#addFieldProblem('warning', manifest, field, message);
    }
    this.#checkSchedule(manifest, faults.length > 0);
  }

  /** Reports a CronJob between `...` and the next `---`. */
  checkIgnoredText(): void {
    for (const { index, 0: ignoredText } of this.#source.text.matchAll(IGNORED_TEXT_PATTERN))
      if (mentionsCronJob(ignoredText)) this.#addProblem('warning', index, { message: IGNORED_TEXT_MESSAGE });
  }

  /** Reports duplicate keys and invalid UTF-8 once per document. */
  #checkText({ document, start, end }: ManifestObject): void {
    if (document === this.#checkedDocument) return;
    this.#checkedDocument = document;
    for (const { offset, message } of findDuplicatesInDocument(document))
      this.#addProblem('warning', offset, { message });
    const replacementIndex = this.#source.text.slice(start, end).indexOf('\ufffd');
    if (replacementIndex >= 0)
      this.#addProblem('warning', start + replacementIndex, { message: INVALID_UTF_8_MESSAGE });
  }

  #checkSchedule(manifest: ManifestObject, hasErrors: boolean): void {
    const { value } = manifest;
    const { descriptions, ...meaning } = explainSchedule(value, this.#now);
    for (const { field, words } of descriptions)
      this.#addFieldProblem('note', manifest, field, `${words} (${meaning.timeZone})`);
    const getText = (...path: readonly string[]) => {
      const text = valueAt(value, ...path);
      return typeof text === 'string' ? text : undefined;
    };
    const { line } = this.#lines.getPosition(this.#findOffset(manifest, ''));
    const [namespace, name] = [getText('metadata', 'namespace'), getText('metadata', 'name')];
    this.cronJobs.push({ file: this.#source.name, line, namespace, name, ...meaning, manifest: { value, hasErrors } });
  }

  /** Returns whether a template tool replaces the name or the value of the field. */
  #isTemplated(manifest: ManifestObject, field: string): boolean {
    const value = findFieldText(manifest.document, joinPath(manifest, field)) ?? '';
    const line = this.#lines.getLine(this.#findOffset(manifest, field));
    return isTemplateValue(field) || isTemplateValue(value) || line.includes(YTT_MARK);
  }

  #addFieldProblem(level: Problem['level'], manifest: ManifestObject, field: string, message: string): void {
    const offset = this.#findOffset(manifest, field, message.startsWith(UNKNOWN_FIELD_PREFIX));
    const sourceMessage = quoteSourceText(message, this.#source.text.slice(offset, offset + MAX_QUOTED_LENGTH));
    this.#addProblem(level, offset, { field, message: sourceMessage });
  }

  #addProblem(level: Problem['level'], offset: number, problem: Pick<Problem, 'field' | 'message'>): void {
    this.problems.push({ level, file: this.#source.name, ...this.#lines.getPosition(offset), ...problem });
  }

  #findOffset(manifest: ManifestObject, field: string, isKey = false): number {
    return findFieldOffset(manifest.document, joinPath(manifest, field), { isKey });
  }
}

/** Returns the path of the field in its document. */
function joinPath({ path }: ManifestObject, field: string): string {
  return [path, field].filter((part) => part !== '').join('.');
}

function describeUnknownKind(kind: unknown): string {
  if ((kind ?? undefined) === undefined) return `Required value: use ${KIND} or ${RUN_KIND}`;
  if (kind === 'Job') return 'a Job has the apiVersion batch/v1';
  if (kind === `${KIND}List`) return 'Required value: a list needs items';
  return `the API group ${GROUP} has only the kinds ${KIND} and ${RUN_KIND}`;
}

function suggestFix(line: string): string {
  if (line.includes('{{'))
    return '; this looks like a template: check its output instead, as in helm template . | kubectl tcj lint -';
  return suggestQuotes(line) ?? '';
}
