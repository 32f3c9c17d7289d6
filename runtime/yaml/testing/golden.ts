/** Reads the results of kubectl that runtime/yaml/oracle has recorded. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface GoldenText {
  readonly text: string;
  /** The value as JSON. Absent if kubectl rejects the text. */
  readonly value?: unknown;
  /** Documents that `kubectl -f` reads from the text. */
  readonly documents: readonly unknown[];
  /** Whether kubectl rejects the text after the documents. */
  readonly isRefused?: boolean;
}

export function readGoldenTexts(): readonly GoldenText[] {
  const bytes = readFileSync(join(import.meta.dirname, '../oracle/golden/texts.jsonl.gz'));
  const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as GoldenText);
}
