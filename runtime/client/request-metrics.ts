/** Metrics of the requests to the API server. */

export interface RequestMetrics {
  /**
   * Counts a finished request.
   * @param method HTTP method in capitals.
   * @param host Host and port of the API server.
   * @param code HTTP status, or `<error>` without a response, as in client-go.
   */
  responded(method: string, host: string, code: string): void;
}
