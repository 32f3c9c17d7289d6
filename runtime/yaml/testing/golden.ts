/** The recorded results of the oracle. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface GoldenText {
  readonly text: string;
  /** The value as JSON; absent when it is rejected. */
  readonly value?: unknown;
  /** Documents of `kubectl -f`. */
  readonly documents: readonly unknown[];
  /** Whether the rest after the documents is rejected. */
  readonly isRefused?: boolean;
}

export function goldenTexts(): readonly GoldenText[] {
  const bytes = readFileSync(join(import.meta.dirname, '../oracle/golden/texts.jsonl.gz'));
  const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as GoldenText);
}
