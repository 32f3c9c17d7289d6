/** Asks the package registry whether what is installed has known faults: first what ships, then all else. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { auditVerdict } from './audit-verdict.ts';
import { report, type Verdict } from './verdict.ts';

/** A registry that does not answer in this time does not. Milliseconds. */
const TIMEOUT_MS = 60_000;

/** What npm prints; it ends with 1 when it finds faults, and when it finds nobody to ask. */
function npmAudit(args: readonly string[]): Promise<string> {
  const options = { cwd: join(import.meta.dirname, '../..'), timeout: TIMEOUT_MS, maxBuffer: 64 * 2 ** 20 };
  return new Promise((resolve) => {
    execFile('npm', ['audit', '--json', ...args], options, (_error, stdout) => resolve(stdout));
  });
}

async function audit(): Promise<Verdict> {
  const shipped = auditVerdict(await npmAudit(['--omit=dev']));
  if (shipped.kind !== 'passed') return shipped;
  return auditVerdict(await npmAudit([]));
}

report(await audit());
