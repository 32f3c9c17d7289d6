/** Who may see the page: who has opened the link that the command printed. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from 'controller-runtime';

const SECRET_BYTES = 32;
/** Of the link that the browser is started with. */
const LAUNCH_MS = 60_000;

/** Name of the parameter of the link. */
export const TOKEN = 'token';

export class Access {
  readonly #clock: Clock;
  /** Of the link that is printed. */
  readonly token = secret();
  /** What the cookie holds. */
  readonly #session = secret();
  #launch: { readonly token: string; readonly untilMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Another one, for the command line of a browser, which other users of the machine can see: it counts once, and for a minute. */
  launchToken(): string {
    const token = secret();
    this.#launch = { token, untilMs: this.#clock.monotonicMs() + LAUNCH_MS };
    return token;
  }

  /** Uses it up, if it can be. */
  admits(token: string): boolean {
    const launch = this.#launch;
    if (launch !== undefined && isSame(token, launch.token)) {
      this.#launch = undefined;
      return this.#clock.monotonicMs() < launch.untilMs;
    }
    return isSame(token, this.token);
  }

  /** For whoever was admitted. */
  cookie(port: number): string {
    return `${cookieName(port)}=${this.#session}; HttpOnly; SameSite=Lax; Path=/`;
  }

  hasCookie(header: string | undefined, port: number): boolean {
    const name = cookieName(port);
    return (header ?? '').split(';').some((pair) => {
      const [key = '', value = ''] = pair.split('=', 2);
      return key.trim() === name && isSame(value.trim(), this.#session);
    });
  }
}

/** Cookies know no ports. */
function cookieName(port: number): string {
  return `kubectl-tcj-${port}`;
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Takes the same time wherever they differ. */
function isSame(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
}
