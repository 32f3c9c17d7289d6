/** What the oracle has recorded. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface GoldenText {
  readonly text: string;
  /** What it is as JSON; absent when it is refused. */
  readonly value?: unknown;
  /** Of `kubectl -f`. */
  readonly documents: readonly unknown[];
  /** What follows the documents. */
  readonly isRefused?: boolean;
}

export function goldenTexts(): readonly GoldenText[] {
  const bytes = readFileSync(join(import.meta.dirname, '../oracle/golden/texts.jsonl.gz'));
  const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as GoldenText);
}
