/** Browsers get HTML, programs that ask for JSON get JSON, and all other clients a line of text. */
export const pageFormats = ['html', 'json', 'text'] as const;
export type PageFormat = (typeof pageFormats)[number];

/**
 * The format of a page of the edge. Every browser names `text/html`; a client that accepts anything, such as curl, gets
 * text.
 */
export function choosePageFormat(accept: string | undefined): PageFormat {
  const html = qualityOf(accept, 'text/html');
  const json = qualityOf(accept, 'application/json');
  if (html === 0 && json === 0) return 'text';
  return html >= json ? 'html' : 'json';
}

/** The weight that the header gives to a media type by its name (RFC 9110 §12.5.1); 0 where it does not name it. */
function qualityOf(accept: string | undefined, type: string): number {
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return 0;
}
