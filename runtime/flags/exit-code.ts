/** Exit code for flags that cannot be understood, as Go's flag package has it. */
export const USAGE_EXIT_CODE = 2;
