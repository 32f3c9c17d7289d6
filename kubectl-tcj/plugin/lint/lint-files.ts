/** Checks files one after another; a failure in one file does not stop the others. */
import { dirname, resolve } from 'node:path';
import { formatErrorOrThrow } from '../error-message.ts';
import { readInputs, type Unreadable } from './inputs.ts';
import { lintText, type NamedText } from './lint-text.ts';
import type { LintResult, Problem } from './problem.ts';

/** A file in a folder that lint skips. */
export interface SkippedFile {
  readonly file: string;
  readonly why: FileSkipReason;
}

/** `patch`: a kustomization in the same run merges it into another manifest. */
export type FileSkipReason = 'no CronJob' | 'template' | 'patch';

export interface LintedFiles extends Pick<LintResult, 'cronJobs' | 'others'> {
  readonly problems: readonly Problem[];
  /** The number of files that were not skipped. */
  readonly files: number;
  readonly skipped: readonly SkippedFile[];
  readonly unreadable: readonly Unreadable[];
}

interface FileResult extends Pick<NamedText, 'name' | 'isFromFolder'> {
  readonly result: LintResult;
}

/** @param readStdin For `-`. @param now Warnings cover clock changes after this time. */
export async function lintFiles(
  names: readonly string[],
  { readStdin, now }: { readonly readStdin: () => AsyncIterable<Uint8Array>; readonly now: Date },
): Promise<LintedFiles> {
  const all: FileResult[] = [];
  const unreadable: Unreadable[] = [];
  for await (const input of readInputs(names, readStdin)) {
    const linted = input.kind === 'unreadable' ? input : lintInput(input, now);
    if ('result' in linted) all.push(linted);
    else unreadable.push(linted);
  }
  const patches = new Set(
    all.flatMap(({ name, result }) => result.patches.map((path) => resolve(dirname(name), path))),
  );
  const skipped: SkippedFile[] = [];
  const checked: LintResult[] = [];
  for (const { name, isFromFolder, result } of all) {
    const why = isFromFolder === true ? findSkipReason(result, patches.has(resolve(name))) : undefined;
    if (why === undefined) checked.push(result);
    else skipped.push({ file: name, why });
  }
  return {
    problems: checked.flatMap(({ problems }) => problems),
    cronJobs: checked.flatMap(({ cronJobs }) => cronJobs),
    others: checked.reduce((sum, { others }) => sum + others, 0),
    files: checked.length,
    skipped,
    unreadable,
  };
}

/** The result does not keep the text, because a run may have many files. */
function lintInput({ name, isFromFolder = false, text }: NamedText, now: Date): FileResult | Unreadable {
  try {
    return { name, isFromFolder: isFromFolder, result: lintText({ name, isFromFolder: isFromFolder, text }, now) };
  } catch (error) {
    return { kind: 'unreadable', name, why: formatErrorOrThrow(error) };
  }
}

function findSkipReason({ cronJobs, problems, templates }: LintResult, isPatch: boolean): FileSkipReason | undefined {
  if (isPatch) return 'patch';
  if (cronJobs.length > 0 || problems.length > 0) return undefined;
  return templates > 0 ? 'template' : 'no CronJob';
}
