import { quote, SPLAT, type Captures } from './path-pattern.js';

/** The target of a rule: a path of the host that was asked, or a URL. */
export interface RuleTarget {
  /** Scheme, host and port as written; empty for a path. */
  readonly origin: string;
  readonly pieces: readonly TargetPiece[];
  /** Whether it has a query of its own, so that the one of the request is dropped. */
  readonly hasQuery: boolean;
}

/** Text as it is, or a placeholder in the path or the query. */
type TargetPiece = { readonly text: string } | { readonly name: string; readonly isInQuery: boolean };

/** @param names of the placeholders of the source */
export function parseTarget(source: string, names: ReadonlySet<string>): RuleTarget | { readonly problem: string } {
  const [origin = ''] = /^https?:\/\/[^/?#\\]*/i.exec(source) ?? [];
  const path = source.slice(origin.length);
  if (origin !== '' && !isOrigin(origin)) return { problem: `${quote(source)} is not a URL that a rule may lead to` };
  if (path.startsWith('//'))
    return { problem: `${quote(source)} begins with two slashes: write https: in front of a host` };
  if (origin === '' && !path.startsWith('/'))
    return { problem: `${quote(source)} is neither a path that begins with / nor a URL with http or https` };
  if (!/^[\x21-\x7e\u00a0-\uffff]*$/.test(path) || /[\\"<>^`{|}]/.test(path))
    return { problem: `${quote(source)} has a character that a URL cannot have` };
  const pieces: TargetPiece[] = [];
  let at = 0;
  const mark = indexOr(path, '?');
  for (const match of path.matchAll(/:([A-Za-z]\w*)/g)) {
    const [whole, name = ''] = match;
    if (!names.has(name)) {
      if (!isWholeSegment(path, match.index, whole)) continue;
      return { problem: `:${name} does not occur in the path of the rule${name === SPLAT ? ', which has no *' : ''}` };
    }
    pieces.push({ text: encodeText(path.slice(at, match.index)) }, { name, isInQuery: match.index > mark });
    at = match.index + whole.length;
  }
  pieces.push({ text: encodeText(path.slice(at)) });
  return {
    origin: origin.toLowerCase(),
    pieces: pieces.filter((piece) => !('text' in piece) || piece.text !== ''),
    hasQuery: mark < indexOr(path, '#'),
  };
}

/**
 * The path and query of a target for the texts that its placeholders stand for. Each text is encoded again by segment, so that
 * it stays in its place: it begins no host, no query and no fragment.
 * @param query of the request, with its question mark; added unless the target has one
 */
export function fillTarget({ pieces, hasQuery }: RuleTarget, captures: Captures, query: string): string {
  let filled = '';
  for (const piece of pieces) {
    if ('text' in piece) filled += piece.text;
    else {
      const text = captures.get(piece.name) ?? '';
      // The first segment is never empty: as a relative reference `//host` would be another host.
      if (piece.isInQuery) filled += encodeURIComponent(text);
      else filled += encodeSegments(filled.endsWith('/') ? text.replace(/^\/+/, '') : text);
    }
  }
  const path = filled.startsWith('/') ? filled : `/${filled}`;
  if (hasQuery || query === '') return path;
  const fragment = indexOr(path, '#');
  return path.slice(0, fragment) + query + path.slice(fragment);
}

/** Percent-encodes a decoded path. */
export function encodeSegments(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/');
}

/** Letters beyond ASCII, as browsers encode them; what is encoded stays. */
function encodeText(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** A host and a port as they are, without user, password or placeholder. */
function isOrigin(text: string): boolean {
  if (/[@:]$|@|\s/.test(text.slice('https:'.length))) return false;
  try {
    const { hostname, username, port } = new URL(text);
    return hostname !== '' && username === '' && port !== '0';
  } catch {
    return false;
  }
}

function isWholeSegment(path: string, at: number, whole: string): boolean {
  const next = path[at + whole.length];
  return path[at - 1] === '/' && (next === undefined || '/?#'.includes(next));
}

function indexOr(text: string, part: string): number {
  const at = text.indexOf(part);
  return at === -1 ? text.length : at;
}
