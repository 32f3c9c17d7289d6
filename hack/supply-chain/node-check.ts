/** Adds a check to bundles that reports an old version of Node, which would otherwise fail with a syntax error. */

/**
 * The value of `transform.target`: the oldest Node that can parse a bundle and run its check. The target has no cost, because the sources
 * use only one newer feature, `using`.
 */
export const PARSE_TARGET = 'node16.11';

interface NodeCheck {
  /** Name of the program in the message. */
  readonly program: string;
  /** The minimum version, with three numbers. */
  readonly oldest: string;
  /** Advice for users who cannot install a newer Node, starting with `or`. */
  readonly alternative: string;
}

/** Returns the first statement of a bundle for `output.intro`, in syntax that every Node supports. */
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
