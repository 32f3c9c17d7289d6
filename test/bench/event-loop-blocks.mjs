/**
 * Loaded before a program (`node --import`), logs each block of its event loop that is longer than those before: the time that one
 * turn took of the CPU, so that a machine which is busy with other work shows the same. The loading of the program is none. Plain
 * JavaScript, because to strip types takes memory.
 */
const LOOK_MS = 1;
/** Shorter ones are of no interest. */
const SHORTEST_MS = 10;

let longestMs = SHORTEST_MS;
let lastMs;

function cpuMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

setInterval(() => {
  const nowMs = cpuMs();
  const blockMs = nowMs - (lastMs ?? nowMs);
  lastMs = nowMs;
  if (blockMs <= longestMs) return;
  longestMs = blockMs;
  const line = { msg: 'block of the event loop', cpuMs: Math.round(blockMs), atMs: Math.round(performance.now()) };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}, LOOK_MS).unref();
