/** Reads what `npm audit --json` prints. */
import { z } from 'zod';
import type { Verdict } from './verdict.ts';

const advisory = z.object({ title: z.string() });
const vulnerability = z.object({
  name: z.string(),
  severity: z.string(),
  range: z.string(),
  /** An advisory about the package itself, or the name of a package through which it is concerned. */
  via: z.array(z.union([z.string(), advisory])),
  fixAvailable: z.union([z.boolean(), z.object({ name: z.string(), version: z.string() })]),
});
const auditReport = z.object({
  vulnerabilities: z.record(z.string(), vulnerability),
  metadata: z.object({ vulnerabilities: z.object({ total: z.number() }) }),
});

type Vulnerability = z.output<typeof vulnerability>;

/**
 * Whether packages with known faults are installed. What is no report, as when the registry takes no such question, is `not
 * checked`: it would pass otherwise. Nothing of it is repeated, because it names the registry.
 */
export function auditVerdict(output: string): Verdict {
  const found = auditReport.safeParse(json(output));
  if (!found.success)
    return { kind: 'not checked', reason: 'the package registry does not answer which packages have known faults' };
  const faults = Object.values(found.data.vulnerabilities).map(sentence);
  if (faults.length > 0) return { kind: 'failed', faults };
  if (found.data.metadata.vulnerabilities.total > 0)
    return { kind: 'failed', faults: ['npm audit counts faults and names none'] };
  return { kind: 'passed' };
}

function sentence({ name, range, severity, via, fixAvailable }: Vulnerability): string {
  const titles = via.map((cause) => (typeof cause === 'string' ? `through ${cause}` : cause.title));
  return `${name} ${range} (${severity}): ${[...new Set(titles)].join('; ')}. ${advice(name, fixAvailable)}`;
}

function advice(name: string, fix: Vulnerability['fixAvailable']): string {
  if (fix === true) return 'Run `npm audit fix`, then the tests.';
  if (fix === false)
    return `No release without it is known: replace ${name}, or say in docs/security.md why it does not matter here.`;
  return `Update ${fix.name} to ${fix.version} in package.json, then run the tests.`;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
