import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's young generation at its first size. It would grow with the burst of a start or of a busy minute and never
 * shrink again: with 1,000 objects of a few KiB the process idles at 125 MiB instead of 170.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
