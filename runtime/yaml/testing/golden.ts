/** Reads the golden files of runtime/yaml/oracle, which record the results of Go's parsers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface GoldenText {
  readonly text: string;
  /** The value as JSON, absent if kubectl rejects the text. */
  readonly value?: unknown;
  /** Documents that `kubectl -f` reads from the text. */
  readonly documents: readonly unknown[];
  /** Whether kubectl rejects the text after the documents. */
  readonly isRefused?: boolean;
}

export function readGoldenTexts(): readonly GoldenText[] {
  return readRows('texts');
}

/** How Go parses and prints a quantity or a duration, and calculates with two quantities. */
export interface GoldenRow {
  readonly quantity?: string;
  readonly duration?: string;
  /** The text that Go prints, absent if Go rejects the input. */
  readonly canonical?: string;
  readonly value?: string;
  readonly other?: string;
  readonly sum?: string;
  readonly difference?: string;
  readonly compared?: number;
  readonly nanoseconds?: string;
}

export function readGoldenAmounts(): readonly GoldenRow[] {
  return readRows('quantities');
}

function readRows<T>(name: string): readonly T[] {
  const bytes = readFileSync(join(import.meta.dirname, `../oracle/golden/${name}.jsonl.gz`));
  const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}
