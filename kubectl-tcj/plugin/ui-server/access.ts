/** Authenticates browsers with the token in the link that `kubectl tcj ui` prints, and then with a cookie. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from 'controller-runtime';

const SECRET_BYTES = 32;
const LAUNCH_TOKEN_LIFETIME_MS = 60_000;

/** The name of the query parameter with the token. */
export const TOKEN_PARAMETER = 'token';

export class PageAccess {
  readonly #clock: Clock;
  /** The token of the printed link. */
  readonly token = createSecret();
  readonly #sessionCookie = createSecret();
  #launchToken: { readonly token: string; readonly expiresAtMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Creates a token for a link on the command line of a browser. The token can be used only once and within a minute,
   * because other users of the machine can read the command line.
   */
  createLaunchToken(): string {
    const token = createSecret();
    this.#launchToken = { token, expiresAtMs: this.#clock.monotonicMs() + LAUNCH_TOKEN_LIFETIME_MS };
    return token;
  }

  /** Returns whether the token is valid. A launch token is valid only once. */
  acceptToken(token: string): boolean {
    const launchToken = this.#launchToken;
    if (launchToken !== undefined && isSameSecret(token, launchToken.token)) {
      this.#launchToken = undefined;
      return this.#clock.monotonicMs() < launchToken.expiresAtMs;
    }
    return isSameSecret(token, this.token);
  }

  /** Returns the `Set-Cookie` header for an authenticated browser. */
  createCookie(port: number): string {
    return `${getCookieName(port)}=${this.#sessionCookie}; HttpOnly; SameSite=Lax; Path=/`;
  }

  hasCookie(header: string | undefined, port: number): boolean {
    const name = getCookieName(port);
    return (header ?? '').split(';').some((pair) => {
      const [key = '', value = ''] = pair.split('=', 2);
      return key.trim() === name && isSameSecret(value.trim(), this.#sessionCookie);
    });
  }
}

/** The name of the cookie contains the port, because browsers send a cookie to all ports of a host. */
function getCookieName(port: number): string {
  return `kubectl-tcj-${port}`;
}

function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Compares two secrets in constant time. */
function isSameSecret(receivedSecret: string, expectedSecret: string): boolean {
  const [left, right] = [Buffer.from(receivedSecret), Buffer.from(expectedSecret)];
  return left.length === right.length && timingSafeEqual(left, right);
}
