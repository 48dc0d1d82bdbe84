import mime from 'mime';

/** Text that is not said to be: its types say nothing of text in their names. */
const textual = new Set([
  'application/javascript',
  'application/json',
  'application/ld+json',
  'application/manifest+json',
  'application/xml',
]);

/** Worth compressing though it is no text. Other images, fonts, sound and archives are compressed already. */
const compressible = new Set([
  'application/wasm',
  'font/ttf',
  'font/otf',
  'application/vnd.ms-fontobject',
  'image/bmp',
]);

/** By the file's extension. Text is UTF-8, as every generator of sites writes it. */
export function contentTypeOf(path: string): string {
  const type = mime.getType(path) ?? 'application/octet-stream';
  return isText(type) ? `${type}; charset=utf-8` : type;
}

export function isCompressible(contentType: string): boolean {
  const [type = ''] = contentType.split(';', 1);
  return isText(type) || compressible.has(type);
}

function isText(type: string): boolean {
  return type.startsWith('text/') || textual.has(type) || /\+(?:xml|json)$/.test(type);
}
