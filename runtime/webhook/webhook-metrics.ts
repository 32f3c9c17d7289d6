/** What a webhook tells about the requests it answers. */

export interface WebhookMetrics {
  started(): void;
  /** @param code HTTP status of the answer; a refusal is a 200. */
  answered(code: number, durationMs: number): void;
}

/** Measures nothing. */
export const noWebhookMetrics: WebhookMetrics = {
  started() {},
  answered() {},
};
