import { setupTexts, type SetupTexts } from '../texts.js';

/** Texts that a page may replace, all or some of them. */
export type TextReplacements<Texts = SetupTexts> = {
  readonly [Key in keyof Texts]?: Texts[Key] extends string | ((...values: never[]) => string)
    ? Texts[Key]
    : TextReplacements<Texts[Key]>;
};

/** The texts with those that a page replaces. What has another type than the original is ignored. */
export function mergeTexts(replacements: unknown): SetupTexts {
  return merge(setupTexts, replacements) as SetupTexts; // has its keys, each with a value of its type
}

function merge(original: unknown, replacement: unknown): unknown {
  if (typeof original === 'string') return typeof replacement === 'string' ? replacement : original;
  if (typeof original === 'function')
    return typeof replacement === 'function'
      ? guarded(original as TextFunction, replacement as TextFunction)
      : original;
  if (typeof original !== 'object' || original === null) return original;
  return Object.fromEntries(
    Object.entries(original).map(([key, value]) => [key, merge(value, fieldOf(replacement, key))]),
  );
}

type TextFunction = (...values: unknown[]) => unknown;

/** A function of the page must not keep the element from showing anything. */
function guarded(original: TextFunction, replacement: TextFunction): TextFunction {
  return (...values) => {
    try {
      const text = replacement(...values);
      return typeof text === 'string' ? text : original(...values);
    } catch {
      return original(...values);
    }
  };
}

function fieldOf(value: unknown, key: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  } catch {
    return undefined;
  }
}
