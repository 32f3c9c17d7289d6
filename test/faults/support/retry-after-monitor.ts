/** Requests that the server refused with a Retry-After, and requests repeated too often before it was over. */
import type { AuditedCall } from './call.ts';

/** A request may repeat for other reasons: a slot, or a Job that ends. Back-off alone makes eight calls in two seconds. */
const MAX_EARLY = 3;

export class RetryAfterMonitor {
  /** Objects with more than {@link MAX_EARLY} requests within one Retry-After. */
  readonly earlyRetries = new Set<string>();
  /** The end of the wait of each request, on the steady clock, and the number of early repetitions. */
  readonly #waits = new Map<string, { readonly untilMs: number; early: number }>();

  /** Called before the request is answered. */
  noteRequest(call: AuditedCall, body: Buffer): void {
    const key = formatRequestKey(call, body);
    const wait = this.#waits.get(key);
    if (wait === undefined || wait.untilMs < performance.now()) return;
    wait.early++;
    if (wait.early > MAX_EARLY) this.earlyRetries.add(key);
  }

  noteRefusal(call: AuditedCall, body: Buffer, retryAfterSeconds: number): void {
    const key = formatRequestKey(call, body);
    const nowMs = performance.now();
    if ((this.#waits.get(key)?.untilMs ?? 0) > nowMs) return;
    this.#waits.set(key, { untilMs: nowMs + 1000 * retryAfterSeconds, early: 0 });
  }
}

/** Equal for two requests with the same target and content. */
function formatRequestKey({ verb, resource, namespace, name }: AuditedCall, body: Buffer): string {
  return `${verb} ${resource} ${namespace ?? ''}/${name ?? (verb === 'create' ? parseName(body) : '')}`;
}

function parseName(body: Buffer): string {
  return JSON.parse(body.toString('utf8')).metadata.name;
}
