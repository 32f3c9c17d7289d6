/** Whoever reads what is printed may have had enough, such as `head`: EPIPE is no failure, and no reason for a stack trace. */
export function ignoreClosedPipe(): void {
  process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
}
