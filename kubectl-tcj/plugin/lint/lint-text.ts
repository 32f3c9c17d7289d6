/** Checks the CronJobs in a text. */
import { DEFAULT_TIMINGS } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { getCronJobWarnings } from '../../../api/v1/cronjob-warnings.ts';
import { API_VERSION, GROUP, KIND } from '../../../api/v1/groupversion.ts';
import { valueAt } from '../../../api/v1/raw-object.ts';
import { findCronJobFaults, findCronJobNullNotes, omitServerFields } from './cron-job-faults.ts';
import { findFieldOffset } from './field-offset.ts';
import { listKustomizePatches } from './kustomize-patches.ts';
import { Lines } from './lines.ts';
import { findDuplicateKeys, type ManifestObject, type ManifestOrFault, readManifests } from './manifests.ts';
import type { LintedCronJob, LintResult, Problem } from './problem.ts';
import { quoteSourceText, suggestQuotes } from './quoting.ts';
import { explainSchedule } from './schedule-meaning.ts';
import { UNKNOWN_FIELD } from './schema-faults.ts';
import { hasTemplateMark, mentionsCronJob } from './template-marks.ts';

/** A manifest with its name, such as a file name. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
  /** Whether the text comes from a folder: then lint checks only CronJobs and skips templates. */
  readonly isFromFolder?: boolean;
}

/** @param now Warnings cover clock changes after this time. */
export function lintText(named: NamedText, now: Date): LintResult {
  const linter = new TextLinter(named, now);
  for (const found of readManifests(named.text)) {
    if (found.kind === 'fault') linter.fault(found);
    else linter.manifest(found);
  }
  const problems = linter.problems.toSorted((left, right) => left.line - right.line || left.column - right.column);
  const { cronJobs, others, templates, patches } = linter;
  return { problems, cronJobs, others, templates, patches };
}

const BUILTIN =
  'this is a batch/v1 CronJob, which Kubernetes itself runs; to see it converted, use kubectl tcj import --dry-run';

const UNVERSIONED = `Required value: use ${API_VERSION}, or batch/v1 for a Kubernetes CronJob`;

/** Messages about exceeded limits of a document, which quotes cannot fix. */
const IS_LIMIT = /^(?:the document|aliases) /;

const NOT_UTF_8 = 'this is not valid UTF-8; kubectl replaces it with \ufffd';

type ManifestKind = 'Ours' | 'Misnamed' | 'Unversioned' | 'Builtin' | 'Other';

function classify(value: unknown): ManifestKind {
  const [apiVersion, kind] = [valueAt(value, 'apiVersion'), valueAt(value, 'kind')];
  const [group] = typeof apiVersion === 'string' ? apiVersion.split('/') : [];
  // kubectl also accepts kinds in lower case.
  if (group === GROUP) return kind === KIND || kind === KIND.toLowerCase() ? 'Ours' : 'Misnamed';
  if (apiVersion === undefined && kind === KIND) return 'Unversioned';
  return group === 'batch' && kind === 'CronJob' ? 'Builtin' : 'Other';
}

const FAILOVER_SECONDS = DEFAULT_TIMINGS.leaseDurationMs / 1000;

/** Longer than any number. */
const MAX_OWN_TEXT = 100;

class TextLinter {
  readonly problems: Problem[] = [];
  readonly cronJobs: LintedCronJob[] = [];
  others = 0;
  templates = 0;
  readonly patches: string[] = [];
  readonly #named: NamedText;
  readonly #now: Date;
  readonly #lines: Lines;
  /** The document whose keys were checked. */
  #document: unknown;

  constructor(named: NamedText, now: Date) {
    this.#named = named;
    this.#now = now;
    this.#lines = new Lines(named.text);
  }

  fault({ start, end, offset, message }: Extract<ManifestOrFault, { kind: 'fault' }>): void {
    const { text, isFromFolder = false } = this.#named;
    const source = start === end ? text : text.slice(start, end);
    if (isFromFolder && !mentionsCronJob(source)) return;
    if (isFromFolder && hasTemplateMark(source)) {
      this.templates++;
      return;
    }
    const hint = IS_LIMIT.test(message) ? '' : suggestFix(this.#lines.textAt(offset));
    this.#add('error', offset, { message: `${message}${hint}` });
  }

  manifest(manifest: ManifestObject): void {
    switch (classify(manifest.value)) {
      case 'Ours':
        this.#cronJob(manifest);
        break;
      case 'Misnamed':
        this.#addAt('error', manifest, 'kind', `the API group ${GROUP} has only the kind ${KIND}`);
        break;
      case 'Unversioned':
        // In a folder, the object may be a patch or a part of another document.
        if (this.#named.isFromFolder !== true) this.#addAt('error', manifest, 'apiVersion', UNVERSIONED);
        else this.others++;
        break;
      case 'Builtin':
        this.#addAt('note', manifest, 'apiVersion', BUILTIN);
        this.others++;
        break;
      case 'Other':
        this.others++;
        this.patches.push(...listKustomizePatches(manifest.value));
    }
  }

  #cronJob(manifest: ManifestObject): void {
    const { value } = manifest;
    const faults = findCronJobFaults(value);
    if (this.#named.isFromFolder === true && faults.some(({ field }) => this.#isTemplated(manifest, field))) {
      this.templates++;
      return;
    }
    this.#checkText(manifest);
    for (const { field, message } of faults) this.#addAt('error', manifest, field, message);
    for (const { field, message } of findCronJobNullNotes(value)) {
      if (!faults.some((fault) => fault.field === field)) this.#addAt('note', manifest, field, message);
    }
    // cronJobWarnings accepts any object.
    const warnings = getCronJobWarnings(omitServerFields(value) as CronJob, {
      now: this.#now,
      failoverSeconds: FAILOVER_SECONDS,
    });
    for (const warning of warnings) {
      const [, field = '', message = warning] = /^([a-z][^\s]*?): (.*)$/s.exec(warning) ?? [];
      this.#addAt('warning', manifest, field, message);
    }
    this.#checkSchedule(manifest);
  }

  /** Problems that only the text shows, reported once per document. */
  #checkText({ document, start, end }: ManifestObject): void {
    if (document === this.#document) return;
    this.#document = document;
    for (const { offset, message } of findDuplicateKeys(document)) this.#add('warning', offset, { message });
    const replaced = this.#named.text.slice(start, end).indexOf('\ufffd');
    if (replaced >= 0) this.#add('warning', start + replaced, { message: NOT_UTF_8 });
  }

  #checkSchedule(manifest: ManifestObject): void {
    const { value } = manifest;
    const meaning = explainSchedule(value, this.#now);
    if (meaning.words !== undefined) {
      this.#addAt('note', manifest, 'spec.schedule', `${meaning.words} (${meaning.timeZone})`);
    }
    const textAt = (...path: readonly string[]) => {
      const text = valueAt(value, ...path);
      return typeof text === 'string' ? text : undefined;
    };
    const { line } = this.#lines.at(this.#findOffset(manifest, ''));
    const [namespace, name] = [textAt('metadata', 'namespace'), textAt('metadata', 'name')];
    this.cronJobs.push({ file: this.#named.name, line, namespace, name, ...meaning });
  }

  /** Whether a template fills in the line of the field. */
  #isTemplated(manifest: ManifestObject, field: string): boolean {
    return hasTemplateMark(this.#lines.textAt(this.#findOffset(manifest, field)));
  }

  #addAt(level: Problem['level'], manifest: ManifestObject, field: string, message: string): void {
    const offset = this.#findOffset(manifest, field, message.startsWith(UNKNOWN_FIELD));
    const own = quoteSourceText(message, this.#named.text.slice(offset, offset + MAX_OWN_TEXT));
    this.#add(level, offset, { field, message: own });
  }

  #add(level: Problem['level'], offset: number, what: Pick<Problem, 'field' | 'message'>): void {
    this.problems.push({ level, file: this.#named.name, ...this.#lines.at(offset), ...what });
  }

  #findOffset({ document, path }: ManifestObject, field: string, isKey = false): number {
    return findFieldOffset(document, [path, field].filter((part) => part !== '').join('.'), { isKey });
  }
}

function suggestFix(line: string): string {
  if (line.includes('{{'))
    return '; this looks like a template: check its output instead, as in helm template . | kubectl tcj lint -';
  return suggestQuotes(line) ?? '';
}
