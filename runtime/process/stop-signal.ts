/** Returns a signal that aborts at the first SIGTERM or SIGINT. A second SIGTERM or SIGINT exits the process. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signalName of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signalName, () => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort();
    });
  }
  return controller.signal;
}
