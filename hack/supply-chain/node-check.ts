/** Makes a Node that is too old for a bundle report this, instead of a syntax error. */

/**
 * For `transform.target`: the oldest Node that can parse a bundle, and so runs the check in it. The sources use only one newer feature,
 * `using`, so the target costs nothing on supported Nodes.
 */
export const PARSE_TARGET = 'node16.11';

interface NodeCheck {
  /** Name of the program in the message. */
  readonly program: string;
  /** The minimum version, with three numbers. */
  readonly oldest: string;
  /** Advice when no newer Node is available: `or …`. */
  readonly alternative: string;
}

/** The first statement of a bundle, for `output.intro`. Uses syntax that any Node supports. */
export function createNodeCheck({ program, oldest, alternative }: NodeCheck): string {
  const [major, minor, patch] = oldest.split('.').map(Number);
  const isOlder = `(n[0] - ${major} || n[1] - ${minor} || n[2] - ${patch}) < 0`;
  const sentence = [
    JSON.stringify(`${program} needs Node ${oldest} or newer, this is `),
    'process.versions.node',
    JSON.stringify(`: install a newer one, or ${alternative}\n`),
  ].join(' + ');
  return `(function (n) { if (${isOlder}) { process.stderr.write(${sentence}); process.exit(1); } })(process.versions.node.split("."));`;
}
