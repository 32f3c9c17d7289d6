/** The reader of the output may stop early, such as `head`: EPIPE is not an error, and needs no stack trace. */
export function ignoreClosedPipe(): void {
  process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
}
