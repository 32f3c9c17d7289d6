export interface WebhookMetrics {
  started(): void;
  /** @param code HTTP status of the response. If the webhook rejects the object, the status is 200 too. */
  responded(code: number, durationMs: number): void;
}

export const noWebhookMetrics: WebhookMetrics = {
  started() {},
  responded() {},
};
