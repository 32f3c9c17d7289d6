/** The hidden subcommands with which a shell requests completion. */

/**
 * The subcommand of kubectl and cobra. The scripts of cobra may insert a candidate without quotes, so a shell could execute a
 * command inside the candidate.
 */
export const COMPLETE_REQUEST = '__complete';
/** The subcommand for the plugin's own scripts, which quote candidates. */
export const COMPLETE_QUOTING_REQUEST = '__complete_quoting';
