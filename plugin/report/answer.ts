/** What `why` answers. */
export interface Answer {
  /** One sentence. */
  readonly sentence: string;
  /** What to do about it; absent where nothing is wrong. */
  readonly change?: string;
}
