import mime from 'mime';

/** By the file's extension. Text is UTF-8, as every generator of sites writes it. */
export function contentTypeOf(path: string): string {
  const type = mime.getType(path) ?? 'application/octet-stream';
  return type.startsWith('text/') || type === 'application/json' ? `${type}; charset=utf-8` : type;
}
