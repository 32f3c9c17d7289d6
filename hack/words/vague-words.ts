/** Finds vague words, such as pronouns and participles that replace a noun. CONTRIBUTING.md explains the rules. */

interface Rule {
  readonly pattern: RegExp;
  /** The words to write instead. */
  readonly instead: string;
}

const RULES: readonly Rule[] = [
  { pattern: /\btold\b/i, instead: 'name the actor and its action: "the API server reports", "the webhook returns"' },
  // `nobody:` is a user of Linux.
  {
    pattern: /\b(?:somebody|nobody(?!:)|whoever)\b/i,
    instead: 'name the actor: "another client", "no user", "users who"',
  },
  { pattern: /\bthose (?:that|who)\b/i, instead: 'repeat the noun: "the Jobs that"' },
  { pattern: /\bof which\b/i, instead: 'repeat the noun in a new clause: "a Job whose container", "the reason; it"' },
  { pattern: /\btells? (?:of|which)\b/i, instead: 'write "reports", "lists" or "shows"' },
  { pattern: /\blooked at\b/i, instead: 'write the action: "checked", "read", "reconciled"' },
  { pattern: /\bin their order\b/i, instead: 'name the order: "in the order of the request"' },
  { pattern: /\bwithout a word\b/i, instead: 'name what is missing: "without an event", "without a message"' },
  { pattern: /\bwhat was asked\b/i, instead: 'write the noun: "the request", "the requested size"' },
  { pattern: /(?<!\bthere )\bis no (?!longer\b|more\b)\w+/i, instead: 'write "is not a …"' },
  {
    pattern: /(?:^|[.!?:;]\s|["'`([|]|\*\s|\/\/\s|-\s)\s*Of\s+[a-z]\w*/,
    instead: 'begin with the subject of the sentence',
  },
];

export interface Finding {
  /** The line number, from 1. */
  readonly line: number;
  readonly text: string;
  readonly instead: string;
}

/** Returns the lines with vague words. The check includes code, because the names of variables can be vague too. */
export function findVagueWords(text: string): readonly Finding[] {
  return text.split('\n').flatMap((line, index) =>
    RULES.flatMap(({ pattern, instead }) => {
      const match = pattern.exec(line);
      return match === null ? [] : [{ line: index + 1, text: match[0].trim(), instead }];
    }),
  );
}
