/**
 * Aborts at Ctrl-C or SIGTERM, so that all started processes end. The listeners stay: without our listeners, a library of envtest-js would
 * end this process first.
 */
export function createStopSignal(): AbortController {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort());
  return controller;
}
