/**
 * Templates as text, each text once. Most CronJobs of a cluster have the template of many others: made by one tool, or by one
 * team. As text, a template takes a third of the memory of the parsed object, and equal ones take it once.
 */
import type { JobTemplateSpec } from '../api/kubernetes.ts';

/** The templates in use, by their text. */
const shared = new Map<string, WeakRef<SharedTemplate>>();
const unheld = new FinalizationRegistry((text: string) => {
  // Another one of the same text may have been made since.
  if (shared.get(text)?.deref() === undefined) shared.delete(text);
});

/** The template, for as long as the result is held; the same result for equal templates. */
export function sharedTemplate(template: JobTemplateSpec): SharedTemplate {
  const text = JSON.stringify(template);
  const known = shared.get(text)?.deref();
  if (known !== undefined) return known;
  const made = new SharedTemplate(text);
  shared.set(text, new WeakRef(made));
  unheld.register(made, text);
  return made;
}

/** A template that is kept as text. */
export class SharedTemplate {
  readonly #text: string;
  /** So that the passes of a busy minute parse it once; gone with the next garbage collection. */
  #last: WeakRef<JobTemplateSpec> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Parsed when it is read, and shared until nothing holds it: not to be changed. */
  get parsed(): JobTemplateSpec {
    const last = this.#last?.deref();
    if (last !== undefined) return last;
    const parsed: JobTemplateSpec = JSON.parse(this.#text);
    this.#last = new WeakRef(parsed);
    return parsed;
  }
}
