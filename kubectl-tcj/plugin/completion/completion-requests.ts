/** The hidden subcommands with which a shell requests completion. */

/**
 * The subcommand that kubectl and the scripts of cobra call. The scripts of cobra may insert a candidate without quotes, so a shell
 * could execute a command inside the candidate.
 */
export const COMPLETION_REQUEST = '__complete';
/** The subcommand for the plugin's own scripts, which quote candidates. */
export const QUOTED_COMPLETION_REQUEST = '__complete_quoting';
