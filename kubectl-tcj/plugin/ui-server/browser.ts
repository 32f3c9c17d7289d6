/** Opens the browser of the user at this machine. */
import { spawn } from 'node:child_process';

/** The opener of each platform. On Windows not `start`, because its shell interprets the `&` of a link. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Does nothing without an opener. */
export function openBrowser(link: string): void {
  const [command = 'xdg-open', ...args] = OPENERS[process.platform] ?? [];
  const child = spawn(command, [...args, link], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
