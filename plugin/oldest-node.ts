/** The Node that runs the plugin where a Node of the user does. */

/** That of undici, which speaks to the API server. The package for npm says it too. */
export const OLDEST_NODE = '22.19.0';

/** What to tell a user whose Node is older; `undefined` when it is new enough. */
export function nodeFault(version: string): string | undefined {
  if (!isOlder(version, OLDEST_NODE)) return undefined;
  return `kubectl tcj needs Node ${OLDEST_NODE} or newer, this is ${version}: install a newer one, or the executable that needs no Node`;
}

function isOlder(left: string, right: string): boolean {
  const [lefts, rights] = [left, right].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)));
  const differs = [0, 1, 2].find((index) => lefts?.[index] !== rights?.[index]);
  return differs !== undefined && (lefts?.[differs] ?? 0) < (rights?.[differs] ?? 0);
}
