/** JSON documents one after another, as kubectl takes them and as `jq` prints them. */

export interface Part {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Where the objects of the text are; `undefined` when it is anything else than two or more of them. Never throws. */
export function jsonParts(text: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  for (let start = nextSign(text, 0); start < text.length; ) {
    const end = text[start] === '{' ? endOfObject(text, start) : undefined;
    if (end === undefined) return undefined;
    parts.push({ start, end });
    start = nextSign(text, end);
  }
  return parts.length > 1 ? parts : undefined;
}

/** Where white space ends. */
function nextSign(text: string, from: number): number {
  const sign = /\S/g;
  sign.lastIndex = from;
  return sign.exec(text)?.index ?? text.length;
}

/** Behind its last brace; `undefined` when it has none. */
function endOfObject(text: string, start: number): number | undefined {
  const signs = /["{}]/g;
  signs.lastIndex = start;
  let depth = 0;
  for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
    if (sign[0] === '"') signs.lastIndex = endOfString(text, sign.index);
    else depth += sign[0] === '{' ? 1 : -1;
    if (depth === 0) return sign.index + 1;
  }
  return undefined;
}

/** Behind its closing quote. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}
