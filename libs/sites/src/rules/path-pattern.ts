/**
 * Patterns of paths in `_redirects` and `_headers`: `/blog/:year/*`. A segment `:name` stands for one segment, and one `*` for
 * everything, also for nothing. They are matched by hand, in one pass: a regular expression of an owner's would not be linear.
 */

/** The texts for which placeholders stand, decoded; `splat` is that of `*`. */
export type Captures = ReadonlyMap<string, string>;

export interface PathPattern {
  readonly source: string;
  /** Names of its placeholders, `splat` included. */
  readonly names: ReadonlySet<string>;
  /** Whether it stands for one path only. */
  readonly isLiteral: boolean;
  readonly before: readonly Piece[];
  /** The part behind `*`, the last piece first; undefined without `*`. */
  readonly after: readonly Piece[] | undefined;
}

/** Text as it is, or the name of a placeholder. */
type Piece = { readonly text: string } | { readonly name: string };

export const SPLAT = 'splat';

/** Removes slashes at the end of a path, but for the root. */
export function normalizePath(decoded: string): string {
  const end = endWithoutSlashes(decoded);
  return end === 0 ? '/' : decoded.slice(0, end);
}

function endWithoutSlashes(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 47) end -= 1;
  return end;
}

/**
 * @param source a path that begins with a slash, possibly percent-encoded
 * @returns the reason, in words that follow the line's number, when it is no pattern
 */
export function parsePattern(source: string): PathPattern | { readonly problem: string } {
  const decoded = decode(source);
  if (decoded === undefined) return { problem: `${quote(source)} is not a path` };
  const path = normalizePath(decoded);
  const [before = '', after, ...more] = path.split('*');
  if (more.length > 0) return { problem: 'only one * is possible' };
  const pieces = { before: piecesOf(before), after: after === undefined ? undefined : piecesOf(after).toReversed() };
  const names = [...pieces.before, ...(pieces.after ?? [])].flatMap((piece) => ('name' in piece ? [piece.name] : []));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return { problem: `:${twice} is given more than once` };
  if (names.includes(SPLAT)) return { problem: `:${SPLAT} is the name of what * stands for` };
  const all = new Set(after === undefined ? names : [...names, SPLAT]);
  return { source: path, names: all, isLiteral: all.size === 0, ...pieces };
}

/**
 * Slashes at the end of a path count only where `*` stands for them.
 * @param decoded the path of a request, each segment decoded
 * @returns what the placeholders stand for; undefined when the path does not match
 */
export function matchPattern(pattern: PathPattern, decoded: string): Captures | undefined {
  const { before, after } = pattern;
  const path = after?.length === 0 ? decoded : normalizePath(decoded);
  // Most patterns end here, and cost nothing else.
  if (!mayMatch(pattern, path)) return isFolderOf(pattern, path) ? new Map([[SPLAT, '']]) : undefined;
  const captures = new Map<string, string>();
  const start = matchForward(before, path, captures);
  if (start === undefined) return undefined;
  if (after === undefined) return start === path.length ? captures : undefined;
  const end = matchBackward(after, path, captures);
  if (end === undefined || end < start) return undefined;
  return captures.set(SPLAT, path.slice(start, end));
}

function mayMatch({ before: [first], after }: PathPattern, path: string): boolean {
  const last = after?.[0];
  return (
    (first === undefined || !('text' in first) || path.startsWith(first.text)) &&
    (last === undefined || !('text' in last) || path.endsWith(last.text))
  );
}

/** `/blog/*` matches `/blog` as well. */
function isFolderOf({ source, after }: PathPattern, path: string): boolean {
  return after?.length === 0 && source.length === path.length + 2 && source === `${path}/*`;
}

function decode(source: string): string | undefined {
  try {
    const decoded = decodeURIComponent(source).normalize('NFC');
    return decoded.startsWith('/') && !/[\u0000-\u001f\u007f\\]/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

/** Placeholders are complete segments: in `/a:b` the colon is a colon. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let literal = '';
  for (const [at, segment] of text.split('/').entries()) {
    if (at > 0) literal += '/';
    const name = at > 0 ? /^:([A-Za-z]\w*)$/.exec(segment)?.[1] : undefined;
    if (name === undefined) literal += segment;
    else {
      pieces.push({ text: literal }, { name });
      literal = '';
    }
  }
  return literal === '' ? pieces : [...pieces, { text: literal }];
}

/** @returns where the rest of the path begins */
function matchForward(pieces: readonly Piece[], path: string, captures: Map<string, string>): number | undefined {
  let at = 0;
  for (const piece of pieces) {
    if ('text' in piece) {
      if (!path.startsWith(piece.text, at)) return undefined;
      at += piece.text.length;
      continue;
    }
    const slash = path.indexOf('/', at);
    const end = slash === -1 ? path.length : slash;
    if (end === at) return undefined;
    captures.set(piece.name, path.slice(at, end));
    at = end;
  }
  return at;
}

/** @returns where the end of the path begins */
function matchBackward(pieces: readonly Piece[], path: string, captures: Map<string, string>): number | undefined {
  let end = path.length;
  for (const piece of pieces) {
    if ('text' in piece) {
      if (!path.endsWith(piece.text, end)) return undefined;
      end -= piece.text.length;
      continue;
    }
    const start = path.lastIndexOf('/', end - 1) + 1;
    if (start >= end) return undefined;
    captures.set(piece.name, path.slice(start, end));
    end = start;
  }
  return end;
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
