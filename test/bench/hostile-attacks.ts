/** What hostile-webhooks.ts tells a process that floods, and what that answers. */

export const ATTACKS = ['bodies', 'creates', 'slow senders', 'connections'] as const;

export interface Flood {
  readonly attack: (typeof ATTACKS)[number];
  readonly port: number;
  /** The address that all come from. */
  readonly localAddress: string;
}

export interface Outcome {
  /** Since the epoch. */
  readonly atMs: number;
  /** The code of the answer, or `closed`. */
  readonly what: string;
}

export interface Flooded {
  readonly outcomes: readonly Outcome[];
}
