/** Asks the package registry whether what is installed has known faults: first what ships, then all else. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { report, type Verdict } from './verdict.ts';

/** A registry that does not answer in this time does not. Milliseconds. */
const TIMEOUT_MS = 60_000;

const auditReport = z.object({ metadata: z.object({ vulnerabilities: z.object({ total: z.number() }) }) });

/** What npm prints; it ends with 1 when it finds faults, and when it finds nobody to ask. */
function npmAudit(args: readonly string[]): Promise<string> {
  const options = { cwd: join(import.meta.dirname, '../..'), timeout: TIMEOUT_MS, maxBuffer: 64 * 2 ** 20 };
  return new Promise((resolve) => {
    execFile('npm', ['audit', ...args], options, (_error, stdout) => resolve(stdout));
  });
}

/**
 * What is no report, as when the registry takes no such question, is `not checked`: it would pass otherwise. Nothing of it is repeated,
 * because it names the registry.
 */
export function totalOf(output: string): number | undefined {
  try {
    return auditReport.parse(JSON.parse(output)).metadata.vulnerabilities.total;
  } catch {
    return undefined;
  }
}

async function audit(): Promise<Verdict> {
  for (const args of [['--omit=dev'], []]) {
    const total = totalOf(await npmAudit(['--json', ...args]));
    if (total === undefined) {
      return { kind: 'not checked', reason: 'the package registry does not answer which packages have known faults' };
    }
    if (total > 0) return { kind: 'failed', faults: [await npmAudit(args)] };
  }
  return { kind: 'passed' };
}

if (import.meta.main) report(await audit());
