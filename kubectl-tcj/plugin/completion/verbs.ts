/** First words of a command line that request completion instead of a command. */

/**
 * The verb of kubectl and cobra: they may put candidates into a command line without quotes, so that a shell would run a command
 * inside a candidate.
 */
export const COMPLETE = '__complete';
/** The verb of our own scripts, which quote candidates. */
export const COMPLETE_QUOTING = '__complete_quoting';
