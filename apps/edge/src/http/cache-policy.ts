const REVALIDATED = 'public, max-age=0, must-revalidate';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Files that pages consist of. Pages themselves keep their names when they change, so they are never immutable. */
const ASSET = /\.(?:m?js|css|map|wasm|json|woff2?|ttf|otf|eot|png|jpe?g|gif|webp|avif|svg|ico|mp[34]|webm|ogg|txt)$/;

/** Folders in which, according to their generator, every name contains a hash of the content. */
const HASHED_FOLDER = /^(?:_next\/static|_app\/immutable)\//;

/**
 * A file is immutable when its name contains a hash of its content; all others are revalidated. A name that is mistaken
 * for a hashed one would stay in browsers for a year, so doubtful names are revalidated.
 */
export function cacheControlOf(path: string): string {
  return HASHED_FOLDER.test(path) || hasHashedName(path) ? IMMUTABLE : REVALIDATED;
}

/** Hashes as bundlers write them: 8 to 64 hexadecimal digits, or 8 characters of base32 or base64. */
const hashes = [
  /^(?=.*\d)(?=.*[a-f])[\da-f]{8,64}$/,
  /^(?=.*\d)(?=.*[A-Z])[A-Z2-7]{8}$/,
  /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z\d]{8}$/,
] as const;

/** `chapter1`, `2026spring`: a word with a number, which people write. */
const NUMBERED_WORD = /^(?:[a-z]{1,15}\d{1,15}|\d{1,15}[a-z]{1,15})$/i;

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function hasHashedName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!ASSET.test(name)) return false;
  // The stem of `app.3f2a9c1b.chunk.js.map` is `app.3f2a9c1b`; its last part may be a hash.
  const stem = name.replace(/(?:\.(?:chunk|min|module|bundle))?\.\w+(?:\.map)?$/, '');
  const [, start = '', hash = ''] = /^(.*[.-])?([A-Za-z\d]{8,64})$/.exec(stem) ?? [];
  if (UUID.test(stem) || NUMBERED_WORD.test(hash) || (start === '' && hash.length < 16)) return false;
  return hashes.some((pattern) => pattern.test(hash));
}
