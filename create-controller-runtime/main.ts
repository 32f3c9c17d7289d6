#!/usr/bin/env node
/** The command `npm create controller-runtime`. */

/** The tests of a created project need this version. `engines` of package.json has the same version. */
const MIN_NODE_VERSION = 24;

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < MIN_NODE_VERSION) {
  process.stderr.write(
    `create-controller-runtime needs Node.js ${MIN_NODE_VERSION} or later; this is ${process.version}\n`,
  );
  process.exitCode = 1;
} else {
  // Imported after the check, because the libraries fail in older versions of Node.js with an unclear error.
  const { runCommand } = await import('./command.ts');
  process.exitCode = await runCommand(process.argv);
}
