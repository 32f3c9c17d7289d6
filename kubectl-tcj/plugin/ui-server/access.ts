/** Controls access to the page: a browser needs the link that the command printed. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from 'controller-runtime';

const SECRET_BYTES = 32;
/** Lifetime of the link with which the browser is started. */
const LAUNCH_MS = 60_000;

/** Name of the link's parameter. */
export const TOKEN = 'token';

export class PageAccess {
  readonly #clock: Clock;
  /** Token of the printed link. */
  readonly token = secret();
  /** Value of the cookie. */
  readonly #session = secret();
  #launch: { readonly token: string; readonly untilMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns another token for the command line of a browser, which other users of the machine can read: it is valid once, within a
   * minute.
   */
  launchToken(): string {
    const token = secret();
    this.#launch = { token, untilMs: this.#clock.monotonicMs() + LAUNCH_MS };
    return token;
  }

  /** Uses up the token, if it can be used once. */
  admits(token: string): boolean {
    const launch = this.#launch;
    if (launch !== undefined && isEqualSecret(token, launch.token)) {
      this.#launch = undefined;
      return this.#clock.monotonicMs() < launch.untilMs;
    }
    return isEqualSecret(token, this.token);
  }

  /** The cookie for a browser that was admitted. */
  cookie(port: number): string {
    return `${cookieName(port)}=${this.#session}; HttpOnly; SameSite=Lax; Path=/`;
  }

  hasCookie(header: string | undefined, port: number): boolean {
    const name = cookieName(port);
    return (header ?? '').split(';').some((pair) => {
      const [key = '', value = ''] = pair.split('=', 2);
      return key.trim() === name && isEqualSecret(value.trim(), this.#session);
    });
  }
}

/** Contains the port, because cookies do not distinguish ports. */
function cookieName(port: number): string {
  return `kubectl-tcj-${port}`;
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Takes the same time for all differences. */
function isEqualSecret(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
}
