/** Metrics of a webhook's requests. */

export interface WebhookMetrics {
  started(): void;
  /** @param code HTTP status of the response; a rejection has 200. */
  responded(code: number, durationMs: number): void;
}

/** Records nothing. */
export const noWebhookMetrics: WebhookMetrics = {
  started() {},
  responded() {},
};
