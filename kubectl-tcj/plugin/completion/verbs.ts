/** Defines the first argument of a request for completion. */

/**
 * The completion verb of kubectl and cobra. The scripts of cobra may insert a candidate without quotes, so a shell could execute a
 * command inside the candidate.
 */
export const COMPLETE = '__complete';
/** The completion verb of the plugin's own scripts, which quote candidates. */
export const COMPLETE_QUOTING = '__complete_quoting';
