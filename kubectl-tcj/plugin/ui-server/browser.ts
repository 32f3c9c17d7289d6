/** Opens the browser of whoever sits at this machine. */
import { spawn } from 'node:child_process';

/** What each platform has for it. Windows: not `start`, whose shell takes the `&` of a link for its own. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Does nothing where there is none. */
export function openBrowser(link: string): void {
  const [command = 'xdg-open', ...args] = OPENERS[process.platform] ?? [];
  const child = spawn(command, [...args, link], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
