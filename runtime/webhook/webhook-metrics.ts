export interface WebhookMetrics {
  started(): void;
  /** @param code HTTP status of the response, which is also 200 if the webhook rejects the object. */
  responded(code: number, durationMs: number): void;
}

export const noWebhookMetrics: WebhookMetrics = {
  started() {},
  responded() {},
};
