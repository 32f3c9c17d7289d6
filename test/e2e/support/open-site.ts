import { inject } from 'vitest';
import { KwokSite } from './kwok-site.ts';
import { PodSite } from './pod-site.ts';
import type { Site } from './site.ts';

/** The site of this run. */
export async function openSite(): Promise<Site> {
  return inject('site').name === 'kwok' ? await KwokSite.open() : new PodSite();
}
