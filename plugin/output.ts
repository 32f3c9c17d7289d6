/** `-o`: the formats of a command, and what it prints in each. */
import { oneOf } from 'controller-runtime';
import { stringify } from 'yaml';
import type { Flag } from './command.ts';
import { flagValue } from './flag-value.ts';

const OBJECT_FORMATS = ['json', 'yaml'] as const;
export type OutputFormat = 'text' | 'wide' | (typeof OBJECT_FORMATS)[number];

/** @param formats Beside `json` and `yaml`. */
export function outputFlag(formats: readonly 'wide'[] = []): Flag {
  const values = [...formats, ...OBJECT_FORMATS];
  const description = `One of ${values.join(', ')}. Default a table for people.`;
  return { name: 'output', short: 'o', value: 'format', description, default: '', values };
}

/** Throws a UsageError for a format that the command does not have. */
export function outputFormat(given: ReadonlyMap<string, string>, formats: readonly 'wide'[] = []): OutputFormat {
  return outputFormatOf(given, [...formats, ...OBJECT_FORMATS]);
}

/** The same, for a command whose formats are `formats`, and a text for people. */
export function outputFormatOf<T extends string>(
  given: ReadonlyMap<string, string>,
  formats: readonly T[],
): T | 'text' {
  const text = given.get('output');
  if (text === undefined) return 'text';
  return flagValue('output', text, oneOf(formats));
}

export function formatted(value: unknown, format: (typeof OBJECT_FORMATS)[number]): string {
  return format === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : stringify(value);
}
