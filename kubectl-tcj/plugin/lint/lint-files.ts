/** Checks files one after another. A failure in one file does not stop the checks of other files. */
import { dirname, resolve } from 'node:path';
import { formatErrorOrThrow } from '../error-message.ts';
import { lintText, type NamedText } from './lint-text.ts';
import type { LintResult, Problem } from './problem.ts';
import { readInputs, type UnreadableInput } from './read-inputs.ts';

/** A file that lint found in a folder and skipped. */
export interface SkippedFile {
  readonly file: string;
  readonly why: FileSkipReason;
}

/** `patch`: a kustomization lists the file as a patch. */
export type FileSkipReason = 'no CronJob' | 'template' | 'patch';

export interface LintedFiles extends Pick<LintResult, 'cronJobs' | 'otherObjectCount'> {
  readonly problems: readonly Problem[];
  readonly fileCount: number;
  readonly skipped: readonly SkippedFile[];
  readonly unreadable: readonly UnreadableInput[];
}

interface FileResult extends Pick<NamedText, 'name' | 'isFromFolder'> {
  readonly result: LintResult;
}

/** @param options `readStdin` reads the file `-`. Warnings about clock changes include only changes after `now`. */
export async function lintFiles(
  names: readonly string[],
  { readStdin, now }: { readonly readStdin: () => AsyncIterable<Uint8Array>; readonly now: Date },
): Promise<LintedFiles> {
  const results: FileResult[] = [];
  const unreadable: UnreadableInput[] = [];
  for await (const input of readInputs(names, readStdin)) {
    const result = input.kind === 'unreadable' ? input : lintInput(input, now);
    if ('result' in result) results.push(result);
    else unreadable.push(result);
  }
  const patches = new Set(
    results.flatMap(({ name, result }) => result.patches.map((path) => resolve(dirname(name), path))),
  );
  const skippedFiles: SkippedFile[] = [];
  const checkedResults: LintResult[] = [];
  for (const { name, isFromFolder, result } of results) {
    const skipReason = isFromFolder === true ? findSkipReason(result, patches.has(resolve(name))) : undefined;
    if (skipReason === undefined) checkedResults.push(result);
    else skippedFiles.push({ file: name, why: skipReason });
  }
  return {
    problems: checkedResults.flatMap(({ problems }) => problems),
    cronJobs: checkedResults.flatMap(({ cronJobs }) => cronJobs),
    otherObjectCount: checkedResults.reduce((sum, { otherObjectCount }) => sum + otherObjectCount, 0),
    fileCount: checkedResults.length,
    skipped: skippedFiles,
    unreadable,
  };
}

/** The result omits the text of the file to save memory. */
function lintInput({ name, isFromFolder = false, text }: NamedText, now: Date): FileResult | UnreadableInput {
  try {
    return { name, isFromFolder, result: lintText({ name, isFromFolder, text }, now) };
  } catch (error) {
    return { kind: 'unreadable', name, reason: formatErrorOrThrow(error) };
  }
}

function findSkipReason(
  { cronJobs, problems, templateCount }: LintResult,
  isPatch: boolean,
): FileSkipReason | undefined {
  if (isPatch) return 'patch';
  if (cronJobs.length > 0 || problems.length > 0) return undefined;
  return templateCount > 0 ? 'template' : 'no CronJob';
}
