/**
 * For how long browsers may use a file of a site without asking (RFC 9111 §4.2). The API decides when the file is deployed
 * and stores it in the index, because only the API knows the earlier deployments of the project. A wrong year cannot be
 * taken back, so what is doubtful is revalidated.
 */
import type { Freshness, SiteEntry } from './index-encoding.js';

/** Files whose names bundlers make from their content. */
const BUNDLED = /\.(?:(?:m?js|css|wasm)(?:\.map)?|woff2?|ttf|otf|eot)$/;
const MEDIA = /\.(?:png|jpe?g|gif|webp|avif|svg|ico|mp[34]|m4[av]|webm|og[gv])$/;

/** Folders in which, according to their generator, every name contains a hash of the content, or of the build. */
const HASHED_FOLDER = /(?:^|\/)(?:_next\/static|_app\/immutable)\//;

/** The file's own name decides nothing else: one deployment does not show whether its content will change. */
export function freshnessOfName(path: string): Freshness {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isBundled = BUNDLED.test(name);
  if (!isBundled && !MEDIA.test(name)) return 'revalidated';
  // The stem of `app.3f2a9c1b.chunk.js.map` is `app.3f2a9c1b`; its last part may be a hash.
  const stem = name.replace(/(?:\.(?:chunk|min|module|bundle|lean))?\.\w+(?:\.map)?$/, '');
  if (isRecordId(stem)) return 'revalidated';
  if (HASHED_FOLDER.test(path)) return 'year';
  if (!endsInHash(stem)) return 'revalidated';
  return isBundled ? 'year' : 'day';
}

/**
 * @param earlier the entries of the same path in other kept deployments of the project. An entry that is revalidated in spite of
 * its name had other content before.
 */
export function chooseFreshness(path: string, sha256: string, earlier: readonly SiteEntry[] = []): Freshness {
  const byName = freshnessOfName(path);
  if (earlier.some((entry) => entry.sha256 !== sha256 || entry.freshness === 'revalidated')) return 'revalidated';
  return byName === 'day' && earlier.length > 0 ? 'year' : byName;
}

/** ObjectIds of MongoDB, and UUIDs of versions 4 and 7 without their hyphens or of any version with them. */
const RECORD_ID =
  /(?:^|[^\da-f])(?:[\da-f]{24}|[\da-f]{12}[47][\da-f]{3}[89ab][\da-f]{15}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** Names of records, which stay when the record changes. */
function isRecordId(stem: string): boolean {
  return RECORD_ID.test(stem);
}

/** From this length on, nobody writes hexadecimal digits as a name. */
const BARE_HASH_LENGTH = 16;

function endsInHash(stem: string): boolean {
  // webpack, Parcel and others: hexadecimal digits, 8 or more.
  const [, before, hex] = /^(.*[.-])?([\da-f]{8,64})$/.exec(stem) ?? [];
  if (hex !== undefined) return (before !== undefined || hex.length >= BARE_HASH_LENGTH) && !isNumberedWord(hex);
  // Vite, Rollup and Rolldown: 8 characters of base64url; esbuild: 8 of base32.
  const [, coded] = /[.-]([\w-]{8})$/.exec(stem) ?? [];
  return coded !== undefined && /[A-Z]/.test(coded) && !isWritten(coded);
}

/**
 * `1990decade`, `20240131`. In eight digits a few letters are left to chance: one hash in sixteen is two runs of them,
 * and one in a hundred begins or ends in a word of four letters or more.
 */
function isNumberedWord(hex: string): boolean {
  const [letters = '', others = ''] = hex.match(/[a-f]+|\d+/g) ?? [];
  if (letters.length + others.length < hex.length) return false;
  const word = /[a-f]/.test(letters) ? letters : others;
  return letters === hex || hex.length > 8 || word.length >= 4;
}

/** `MainPage`, `Chapter1`: one hash of base64url in a hundred. */
const CAMEL_CASE = /^(?:[A-Z][a-z]{2,8}){1,2}\d{0,2}$/;
const LONG_WORD = /[A-Za-z][a-z]{3}/;
/** Letters that stand for words, as `KPI` in `KPIPanel`: beside a word, since hashes in upper case have many such pieces. */
const ACRONYM = /^[A-Z]{2,4}$/;
const WORD = /[a-z]{3}/;

/**
 * Whether people could write it, as they write `MainPage`, `zh-Hans2`, `OAuth2UI` or `PanelKPI`: in camel case, or in three
 * pieces at most, or four with a long word, where no word has a pair of letters that words hardly have. One hash in 25 looks
 * so.
 */
function isWritten(text: string): boolean {
  if (CAMEL_CASE.test(text)) return true;
  const words = text.replaceAll(/([a-z])([A-Z])/g, '$1-$2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2');
  const pieces = words.match(/[A-Za-z]+|\d+/g) ?? [];
  const isShort = pieces.length <= 3 || (pieces.length === 4 && LONG_WORD.test(text));
  const hasWord = WORD.test(text);
  return (
    isShort && pieces.every((piece) => /\d/.test(piece) || (hasWord && ACRONYM.test(piece)) || isPronounceable(piece))
  );
}

/** The letters that follow each letter in 91 % of the pairs in file names of programs, and those of common short forms. */
const followers: Readonly<Record<string, string>> = {
  a: 'bcdefgijklmnprstuvxy',
  b: 'abcdefijlorsu',
  c: 'abcdefhiklmoprstuvy',
  d: 'abcdefilmnoprstu',
  e: 'abcdefgilmnopqrstvwxy',
  f: 'abcdefilmorstux',
  g: 'aehilnorsu',
  h: 'aeiortu',
  i: 'abcdefglmnoprstvxz',
  j: 'aeopqsu',
  k: 'eis',
  l: 'adeilostuy',
  m: 'abcdeilmopsu',
  n: 'acdefgimnopstuv',
  o: 'abcdfgilmnoprstuvw',
  p: 'acdeghilnoprstuy',
  q: 'lru',
  r: 'acdefgiklmnoprstuvy',
  s: 'acdehiklmopqrstuvxy',
  t: 'acdefhilmoprstuy',
  u: 'abcdeilmnprstx',
  v: 'abcefghimpqrstu',
  w: 'aeiot',
  x: 'ehmpt',
  y: 'almps',
  z: 'eh',
};

function isPronounceable(word: string): boolean {
  const letters = word.toLowerCase();
  for (let at = 1; at < letters.length; at++)
    if (!followers[letters.charAt(at - 1)]?.includes(letters.charAt(at))) return false;
  return true;
}
