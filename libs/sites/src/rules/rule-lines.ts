/** Limits of `_redirects` and `_headers`; Cloudflare Pages has the same numbers of rules. */
export const ruleLimits = {
  /** The size of each of both files, and of the rules as the index stores them. */
  bytes: 256 * 1024,
  lineLength: 2_000,
  /** Rules for one path each. */
  staticRedirects: 2_000,
  /** Rules with a placeholder or `*`. */
  dynamicRedirects: 100,
  headerRules: 100,
  /** Header fields of an answer, and their bytes together. */
  headers: 32,
  headerBytes: 8 * 1024,
  /** Redirects that a request may pass until a page. */
  redirectsInTurn: 5,
  /** Lines that are named of a file that cannot be applied. */
  problems: 20,
} as const;

/** The reason why a line is refused. */
export interface LineProblem {
  /** From 1; 0 for the complete file. */
  readonly line: number;
  readonly problem: string;
}

interface Line {
  readonly line: number;
  /** Contains the spaces at its beginning. */
  readonly text: string;
}

/**
 * The lines that say something, until there are enough problems. Those that begin with `#` are comments.
 * @param problems gets the lines that are too long
 */
export function* linesOf(text: string, problems: LineProblem[]): Generator<Line> {
  for (const [at, content] of text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (problems.length >= ruleLimits.problems) return;
    const trimmed = content.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    if (content.length <= ruleLimits.lineLength) yield { line: at + 1, text: content };
    else problems.push({ line: at + 1, problem: `longer than ${ruleLimits.lineLength} characters` });
  }
}
