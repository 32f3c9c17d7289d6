/** What the wall clocks of a zone show, as Node's own zone data have it. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts';

/** From one change of the clock to the next, or to the end of what was asked for. */
export interface ClockSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  /** How far the clock is ahead of UTC. */
  readonly offsetMs: number;
}

/** No zone changes its clock and changes it back within less. */
const STEP_MS = 7 * DAY_MS;

export class ClockOfZone {
  static readonly #known = new Map<string, ClockOfZone | undefined>();
  readonly #format: Intl.DateTimeFormat;
  readonly #spans = new Map<string, readonly ClockSpan[]>();

  private constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  }

  /** `undefined` when there is no such zone. */
  static of(zone: string): ClockOfZone | undefined {
    if (!ClockOfZone.#known.has(zone))
      ClockOfZone.#known.set(
        zone,
        made(() => new ClockOfZone(zone)),
      );
    return ClockOfZone.#known.get(zone);
  }

  /** The spans that make up [fromMs, untilMs). Both are full minutes. */
  spans(fromMs: number, untilMs: number): readonly ClockSpan[] {
    const key = `${fromMs} ${untilMs}`;
    const spans = this.#spans.get(key) ?? this.#find(fromMs, untilMs);
    this.#spans.set(key, spans);
    return spans;
  }

  #find(fromMs: number, untilMs: number): readonly ClockSpan[] {
    const spans: ClockSpan[] = [];
    let [startMs, offsetMs] = [fromMs, this.#offsetMs(fromMs)];
    for (let lookMs = fromMs; lookMs < untilMs; ) {
      const nextMs = Math.min(untilMs, lookMs + STEP_MS);
      const isChanged = this.#offsetMs(nextMs) !== offsetMs;
      const changeMs = isChanged ? this.#changeMs(lookMs, nextMs, offsetMs) : nextMs;
      lookMs = changeMs;
      if (!isChanged || changeMs >= untilMs) continue;
      spans.push({ fromMs: startMs, untilMs: changeMs, offsetMs });
      [startMs, offsetMs] = [changeMs, this.#offsetMs(changeMs)];
    }
    return [...spans, { fromMs: startMs, untilMs, offsetMs }];
  }

  /** The first minute at which the clock is another one. */
  #changeMs(fromMs: number, toMs: number, offsetMs: number): number {
    let [low, high] = [fromMs, toMs];
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      if (this.#offsetMs(middle) === offsetMs) low = middle;
      else high = middle;
    }
    return high;
  }

  #offsetMs(instantMs: number): number {
    const name = this.#format.formatToParts(instantMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return Number(`${sign}1`) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
  }
}

function made<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
