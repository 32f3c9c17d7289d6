import type { TextRange } from './cursor.ts';
import type { Directive, Tag } from './property-text.ts';

export type Token = TokenContent & TextRange;

type TokenContent =
  | { readonly kind: SymbolToken }
  | { readonly kind: 'directive'; readonly directive: Directive }
  | { readonly kind: 'anchor' | 'alias'; readonly name: string }
  | { readonly kind: 'tag'; readonly tag: Tag }
  | { readonly kind: 'scalar'; readonly text: string; readonly isPlain: boolean };

export type SymbolToken =
  | 'document start'
  | 'document end'
  | 'stream end'
  | 'block sequence'
  | 'block mapping'
  | 'block end'
  | 'block entry'
  | 'key'
  | 'value'
  | '['
  | ']'
  | '{'
  | '}'
  | ',';
