/** What is wrong with a manifest. */

/** At a place of the text. */
export interface Fault {
  /** In UTF-16 code units from the beginning of the text. */
  readonly offset: number;
  readonly message: string;
}
