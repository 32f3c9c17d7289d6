/** What the end of a suite says about the fault that was planted meanwhile. */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { EndedRun } from './bounded-run.ts';

export type Finding =
  /** `failure` is one line. `test` is the name of the test that failed, where the suite has any. */
  | { readonly kind: 'Found'; readonly failure: string; readonly test?: string }
  | { readonly kind: 'NotFound' }
  /** The suite was not carried out as it should be, so that it says nothing. */
  | { readonly kind: 'Error'; readonly reason: string };

/** Of `npm run simulate`. */
export function findingOfSimulation({ code, output, ended }: EndedRun): Finding {
  const broken = /^The year of seed \d+ broke:\n\s*(?<law>.+)$/m.exec(output)?.groups?.['law'];
  if (code === 1 && broken !== undefined) return { kind: 'Found', failure: oneLine(broken) };
  if (code === 0 && / 0 of them broke a rule$/m.test(output)) return { kind: 'NotFound' };
  return { kind: 'Error', reason: reasonOf(code, output, ended) };
}

/** Of `npm run model`. */
export function findingOfModel({ code, output, ended }: EndedRun): Finding {
  const broken = /^ {2}=> (?<law>.+)$/m.exec(output)?.groups?.['law'];
  if (code === 1 && broken !== undefined) return { kind: 'Found', failure: oneLine(broken) };
  if (code === 0 && / 0 of \d+ explorations broke a law$/m.test(output)) return { kind: 'NotFound' };
  return { kind: 'Error', reason: reasonOf(code, output, ended) };
}

const vitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

/** A failure of this kind says that the suite is broken, and not what it looks at. */
const BROKEN_SUITE =
  /^(SyntaxError|ReferenceError)\b|Cannot find (module|package)|\b(ENOENT|EADDRINUSE|EMFILE|ENOSPC)\b/;

/** Of vitest, whose JSON report is in the file `report`. */
export function findingOfVitest({ code, output, ended }: EndedRun, report: string): Finding {
  if (ended !== undefined || !existsSync(report)) return { kind: 'Error', reason: reasonOf(code, output, ended) };
  const { testResults } = vitestReport.parse(JSON.parse(readFileSync(report, 'utf8')));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed');
  const failures = failed.map(({ fullName, failureMessages }) => ({
    test: fullName,
    message: oneLine(failureMessages?.[0] ?? 'failed'),
  }));
  const real = failures.find(({ message }) => !BROKEN_SUITE.test(message));
  if (real !== undefined) return { kind: 'Found', failure: real.message, test: real.test };
  if (failures[0] !== undefined) return { kind: 'Error', reason: failures[0].message };
  // A file that cannot be loaded, or a hook that fails, has no failed test.
  const file = testResults.find(({ status }) => status === 'failed');
  if (file !== undefined) return { kind: 'Error', reason: `${file.name}: ${oneLine(file.message)}` };
  if (!tests.some(({ status }) => status === 'passed')) return { kind: 'Error', reason: 'no test was run' };
  return code === 0 ? { kind: 'NotFound' } : { kind: 'Error', reason: reasonOf(code, output, ended) };
}

const MAX_LINE = 300;

/** The first line that says something. */
function oneLine(text: string): string {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? '';
  return line.trim().slice(0, MAX_LINE);
}

function reasonOf(code: number | undefined, output: string, ended: string | undefined): string {
  const last = output.trim().split('\n').slice(-5).join('\n');
  return `${ended ?? `ended with ${code}`}${last === '' ? '' : `: ${last}`}`;
}
