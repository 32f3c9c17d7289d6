/** Requests the known vulnerabilities of shipped packages, of all packages, and of the packages of the site, from the package registry. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { type CheckVerdict, reportVerdict } from './check-verdict.ts';

const TIMEOUT_MS = 60_000;

const auditReport = z.object({ metadata: z.object({ vulnerabilities: z.object({ total: z.number() }) }) });

/** Returns the output of npm. Ignores the exit code, which is 1 both for vulnerabilities and for an unreachable registry. */
function npmAudit(args: readonly string[]): Promise<string> {
  const options = { cwd: join(import.meta.dirname, '../..'), timeout: TIMEOUT_MS, maxBuffer: 64 * 2 ** 20 };
  return new Promise((resolve) => {
    execFile('npm', ['audit', ...args], options, (_error, stdout) => resolve(stdout));
  });
}

/**
 * Returns the number of vulnerabilities in the report, or `undefined` if the output is not a report, for example because the registry does
 * not support the request. The output is not printed, because it contains the address of the registry.
 */
export function parseVulnerabilityCount(output: string): number | undefined {
  try {
    return auditReport.parse(JSON.parse(output)).metadata.vulnerabilities.total;
  } catch {
    return undefined;
  }
}

async function auditPackages(): Promise<CheckVerdict> {
  for (const args of [['--omit=dev'], [], ['--prefix=site']]) {
    const total = parseVulnerabilityCount(await npmAudit(['--json', ...args]));
    if (total === undefined) {
      return { kind: 'not checked', reason: 'the package registry did not report vulnerabilities' };
    }
    if (total > 0) return { kind: 'failed', problems: [await npmAudit(args)] };
  }
  return { kind: 'passed' };
}

if (import.meta.main) reportVerdict(await auditPackages());
