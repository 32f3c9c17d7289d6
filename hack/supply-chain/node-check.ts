/** What makes a Node that is too old for a bundle say so, instead of how it fails. */

/**
 * For `transform.target`: the oldest Node that can parse a bundle, and so runs the check in it. Nothing newer is in the sources but
 * `using`, so it costs nothing on the Nodes that the bundles are for.
 */
export const PARSED_SINCE = 'node16.11';

interface NodeCheck {
  /** Its name in the sentence. */
  readonly program: string;
  /** Three numbers. */
  readonly oldest: string;
  /** What helps where there is no newer Node: `or …`. */
  readonly otherwise: string;
}

/** The first statement of a bundle, for `output.intro`. In words that any Node knows. */
export function nodeCheck({ program, oldest, otherwise }: NodeCheck): string {
  const [major, minor, patch] = oldest.split('.').map(Number);
  const isOlder = `(n[0] - ${major} || n[1] - ${minor} || n[2] - ${patch}) < 0`;
  const sentence = [
    JSON.stringify(`${program} needs Node ${oldest} or newer, this is `),
    'process.versions.node',
    JSON.stringify(`: install a newer one, or ${otherwise}\n`),
  ].join(' + ');
  return `(function (n) { if (${isOlder}) { process.stderr.write(${sentence}); process.exit(1); } })(process.versions.node.split("."));`;
}
