/** Runs a script. When it fails it says why, without a stack, and ends with 1. */
export async function script(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
