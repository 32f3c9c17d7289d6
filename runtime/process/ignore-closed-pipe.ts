/** Ignores EPIPE on stdout, because a reader such as `head` may close the pipe early. */
export function ignoreClosedPipe(): void {
  process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
}
