/** What the transport tells about requests to the API server. */

export interface RequestMetrics {
  /**
   * A request is over.
   * @param method HTTP method in capitals.
   * @param host Host and port of the API server.
   * @param code HTTP status, or {@link NO_RESPONSE} when no answer came.
   */
  responded(method: string, host: string, code: string): void;
}

/** Stands for the status of a request that was never answered, as client-go has it. */
export const NO_RESPONSE = '<error>';

/** Measures nothing. */
export const noRequestMetrics: RequestMetrics = { responded() {} };
