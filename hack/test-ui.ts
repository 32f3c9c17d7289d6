/**
 * `make test-ui`: tests the page of `kubectl tcj ui` with Chromium and an API server. Passes its arguments to vitest. Uses the Chromium whose
 * path is in `CHROMIUM`, or the Chromium of this machine, or else installs Debian's package.
 */
import { join } from 'node:path';
import { installPackages } from './debian-packages.ts';
import { findFolderWith, runVitest } from './run-vitest.ts';

/** The names of Chromium's program in the packages of Debian, Google and Microsoft. */
const CHROMIUM_PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
const MISSING_MESSAGE = 'Chromium is missing. Install it: "apt-get install chromium", or set CHROMIUM to its path';

await runVitest('ui', async () => ({
  UI: '1',
  CHROMIUM: process.env['CHROMIUM'] || findChromium() || (await installChromium()),
}));

function findChromium(): string | undefined {
  const paths = CHROMIUM_PROGRAMS.map((program) => [findFolderWith([program]), program]);
  return paths.flatMap(([folder, program = '']) => (folder === undefined ? [] : [join(folder, program)]))[0];
}

async function installChromium(): Promise<string> {
  if (process.getuid?.() !== 0) throw new Error(MISSING_MESSAGE);
  await installPackages(['chromium']).catch((error: unknown) => {
    throw new Error(MISSING_MESSAGE, { cause: error });
  });
  return findChromium() ?? Promise.reject(new Error(MISSING_MESSAGE));
}
