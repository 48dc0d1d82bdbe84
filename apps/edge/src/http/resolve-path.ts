export type ResolvedPath =
  /** Possible files, relative to the deployment, in order of preference. */
  { readonly kind: 'files'; readonly candidates: readonly string[] } | { readonly kind: 'malformed' };

/**
 * Maps the path of a request to files of a deployment: `/` is index.html, `/about` is about, about.html or about/index.html.
 * There are no redirects between forms of an address: `/docs` and `/docs/` both show docs/index.html, `/about` and
 * `/about.html` both show about.html. Each segment is decoded once and separately, so that an encoded character cannot become
 * a separator or leave the deployment.
 */
export function resolvePath(target: string): ResolvedPath {
  const [path = ''] = target.split(/[?#]/, 1);
  const segments = path.slice(1).split('/').map(decodeSegment);
  if (!segments.every((segment) => segment !== undefined)) return { kind: 'malformed' };
  const last = segments.pop() ?? '';
  if (segments.includes('')) return { kind: 'files', candidates: [] };
  const folder = segments.map((segment) => `${segment}/`).join('');
  if (last === '') return { kind: 'files', candidates: [`${folder}index.html`] };
  const file = folder + last;
  return { kind: 'files', candidates: [file, `${file}.html`, `${file}/index.html`] };
}

/** @returns undefined for a segment that cannot be decoded, or is not a plain name afterwards */
function decodeSegment(segment: string): string | undefined {
  try {
    // Deployments store names in NFC; some keyboards and file systems produce NFD.
    const name = decodeURIComponent(segment).normalize('NFC');
    return name === '.' || name === '..' || /[\u0000-\u001f\u007f/\\]/.test(name) ? undefined : name;
  } catch {
    return undefined;
  }
}
