/** Exit code for invalid flags, the same as in Go's flag package. */
export const USAGE_EXIT_CODE = 2;
