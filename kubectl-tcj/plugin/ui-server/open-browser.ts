/** Opens the default browser. */
import { spawn } from 'node:child_process';

/**
 * The command that opens a URL on each platform. The command for Windows is not `start`, because a shell interprets the `&` in a
 * URL.
 */
const OPEN_COMMANDS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Does nothing if the command does not exist. */
export function openBrowser(link: string): void {
  const [command = 'xdg-open', ...args] = OPEN_COMMANDS[process.platform] ?? [];
  const child = spawn(command, [...args, link], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
