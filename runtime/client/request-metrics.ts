/** Metrics of requests to the API server. */
export interface RequestMetrics {
  /**
   * @param method HTTP method in upper case.
   * @param host Host and port of the API server.
   * @param code HTTP status code, or `<error>` if there is no response, as in client-go.
   */
  countResponse(method: string, host: string, code: string): void;
}
