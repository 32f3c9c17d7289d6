/** Checks files, one after the other: none keeps the others from being checked. */
import { dirname, resolve } from 'node:path';
import { messageOf } from '../message-of.ts';
import { type Input, inputsOf, type Unreadable } from './inputs.ts';
import { lintText, type NamedText } from './lint-text.ts';
import type { LintResult, Problem } from './problem.ts';

/** A file that was found in a folder and is left out. */
export interface SkippedFile {
  readonly file: string;
  readonly why: SkipReason;
}

/** `patch`: a kustomization in the same run merges it into another manifest. */
export type SkipReason = 'no CronJob' | 'template' | 'patch';

export interface LintedFiles extends Pick<LintResult, 'cronJobs' | 'others'> {
  readonly problems: readonly Problem[];
  /** Those that are not left out. */
  readonly files: number;
  readonly skipped: readonly SkippedFile[];
  readonly unreadable: readonly Unreadable[];
}

interface FileResult {
  readonly input: NamedText;
  readonly result: LintResult;
}

/** @param readStdin For `-`. @param now Warnings tell of clock changes that come after it. */
export async function lintFiles(
  names: readonly string[],
  { readStdin, now }: { readonly readStdin: () => AsyncIterable<Uint8Array>; readonly now: Date },
): Promise<LintedFiles> {
  const all: FileResult[] = [];
  const unreadable: Unreadable[] = [];
  for await (const input of inputsOf(names, readStdin)) {
    const linted = lintInput(input, now);
    if ('result' in linted) all.push(linted);
    else unreadable.push(linted);
  }
  const patches = new Set(
    all.flatMap(({ input, result }) => result.patches.map((path) => resolve(dirname(input.name), path))),
  );
  const skipped: SkippedFile[] = [];
  const checked: LintResult[] = [];
  for (const { input, result } of all) {
    const why = input.isFound === true ? skipReason(result, patches.has(resolve(input.name))) : undefined;
    if (why === undefined) checked.push(result);
    else skipped.push({ file: input.name, why });
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

function lintInput(input: Input, now: Date): FileResult | Unreadable {
  if (input.kind === 'unreadable') return input;
  const { kind: _, ...named } = input;
  try {
    return { input: { ...named, text: '' }, result: lintText(named, now) };
  } catch (error) {
    const why = messageOf(error);
    if (why === undefined) throw error;
    return { kind: 'unreadable', name: input.name, why };
  }
}

function skipReason({ cronJobs, problems, templates }: LintResult, isPatch: boolean): SkipReason | undefined {
  if (isPatch) return 'patch';
  if (cronJobs.length > 0 || problems.length > 0) return undefined;
  return templates > 0 ? 'template' : 'no CronJob';
}
