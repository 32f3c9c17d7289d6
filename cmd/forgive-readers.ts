/** Whoever reads what we print may have had enough, such as `head`: that is no failure, and no reason for a stack trace. */
export function forgiveReaders(): void {
  process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
}
