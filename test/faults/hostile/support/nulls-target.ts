/** JSON that has nulls in it, as it comes from an API server. */
import { withoutNulls } from 'controller-runtime';
import { isSameJson } from 'controller-runtime/schema';
import fc from 'fast-check';
import { withinCpu } from './cpu.ts';
import { CRON_JOB_TEXTS } from './cron-job-texts.ts';
import { anyValue, type Edit, edited, editsWith, type Json } from './json.ts';
import type { Target } from './target.ts';

const MAX_CALL_MS = 50;

interface Input {
  readonly base: number;
  readonly edits: readonly Edit[];
}

export const nullsTarget: Target<Input> = {
  name: 'objects with nulls',
  inputs: fc.record({ base: fc.nat(CRON_JOB_TEXTS.length - 1), edits: editsWith(anyValue) }),
  check: (input) => {
    const given = edited(CRON_JOB_TEXTS[input.base] ?? '', input.edits);
    const before = JSON.stringify(given);
    const kept = withinCpu(MAX_CALL_MS, () => withoutNulls(given));
    if (!isSameJson(kept, expected(given))) throw new Error(`is ${JSON.stringify(kept)}`);
    if (JSON.stringify(given) !== before) throw new Error('what came from the API server was changed');
  },
  show: ({ base, edits }) => JSON.stringify(edited(CRON_JOB_TEXTS[base] ?? '', edits)),
};

/** The same by recursion, key by key. Of entries an object gets keys of its own, whatever their names. */
function expected(value: Json): Json | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.filter((item) => item !== null).map((item) => expected(item) as Json);
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(entries.map(([key, each]) => [key, expected(each) as Json]));
}
