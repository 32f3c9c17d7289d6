/** First words of a command line that asks for candidates, and not for a command. */

/** As kubectl and cobra ask: what comes may be put into a command line without quotes, so that a shell would run what is in it. */
export const COMPLETE = '__complete';
/** As our own scripts ask, which quote what comes. */
export const COMPLETE_QUOTING = '__complete_quoting';
