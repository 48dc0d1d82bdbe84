export type ResolvedPath =
  /** Files that may answer, in the order to look for them; relative to the deployment. */
  { readonly kind: 'files'; readonly candidates: readonly string[] } | { readonly kind: 'malformed' };

/**
 * Turns the path of a request into files of a deployment: `/` is index.html, `/about` is about, about.html or
 * about/index.html. Nobody is sent from one form of an address to another: `/docs` and `/docs/` both show
 * docs/index.html, `/about` and `/about.html` both show about.html. Each segment is decoded once and alone, so that
 * nothing encoded can become a separator or a step out of the deployment.
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

/** Undefined for what cannot be decoded, or is no plain name once it is. */
function decodeSegment(segment: string): string | undefined {
  try {
    // Deployments keep their names in this form; some keyboards and file systems write the other one.
    const name = decodeURIComponent(segment).normalize('NFC');
    return name === '.' || name === '..' || /[\u0000-\u001f\u007f/\\]/.test(name) ? undefined : name;
  } catch {
    return undefined;
  }
}
