import type { Results } from './results.ts';
export async function writeDocumentation(_: Results): Promise<void> {}
