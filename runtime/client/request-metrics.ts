/** What the transport tells about requests to the API server. */

export interface RequestMetrics {
  /**
   * A request is over.
   * @param method HTTP method in capitals.
   * @param host Host and port of the API server.
   * @param code HTTP status, or `<error>` when no answer came, as client-go has it.
   */
  responded(method: string, host: string, code: string): void;
}
