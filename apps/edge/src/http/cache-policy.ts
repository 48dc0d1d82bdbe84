const REVALIDATED = 'public, max-age=0, must-revalidate';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** What pages are made of. Pages themselves keep their names when they change, whatever they look like. */
const ASSET = /\.(?:m?js|css|map|wasm|json|woff2?|ttf|otf|eot|png|jpe?g|gif|webp|avif|svg|ico|mp[34]|webm|ogg|txt)$/;

/** Folders of which a generator says that every name in them has its content's hash. */
const HASHED_FOLDER = /^(?:_next\/static|_app\/immutable)\//;

/**
 * How long a file may be kept: for ever where its name has the hash of its content, else until the next look. A name
 * that is taken for hashed and is not would stay in browsers for a year, so what is in doubt is looked at again.
 */
export function cacheControlOf(path: string): string {
  return HASHED_FOLDER.test(path) || hasHashedName(path) ? IMMUTABLE : REVALIDATED;
}

/** As bundlers write them: 8 to 64 hexadecimal digits, or 8 letters and digits of base32 or base64. */
const hashes = [
  /^(?=.*\d)(?=.*[a-f])[\da-f]{8,64}$/,
  /^(?=.*\d)(?=.*[A-Z])[A-Z2-7]{8}$/,
  /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z\d]{8}$/,
] as const;

/** `chapter1`, `2026spring`: a word with a number, which people write, too. */
const NUMBERED_WORD = /^(?:[a-z]{1,15}\d{1,15}|\d{1,15}[a-z]{1,15})$/i;

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function hasHashedName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!ASSET.test(name)) return false;
  // `app.3f2a9c1b.chunk.js.map` has the stem `app.3f2a9c1b`, which ends in what may be a hash.
  const stem = name.replace(/(?:\.(?:chunk|min|module|bundle))?\.\w+(?:\.map)?$/, '');
  const [, start = '', hash = ''] = /^(.*[.-])?([A-Za-z\d]{8,64})$/.exec(stem) ?? [];
  if (UUID.test(stem) || NUMBERED_WORD.test(hash) || (start === '' && hash.length < 16)) return false;
  return hashes.some((pattern) => pattern.test(hash));
}
