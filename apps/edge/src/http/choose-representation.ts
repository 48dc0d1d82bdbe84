import type { SiteEntry, SiteIndex } from '@pets/sites';
import mime from 'mime';
import Negotiator from 'negotiator';
import { compressedBytes } from './limits.js';

/** Content codings that the edge can send, in the order in which it prefers them. */
const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

const extensions = { br: '.br', gzip: '.gz' } as const satisfies Record<Coding, string>;

/** One way of sending a file of a deployment. */
export interface Representation {
  readonly contentType: string;
  readonly coding: Coding | 'identity';
  /** The stored file: the requested one, or its sibling that was deployed compressed. */
  readonly stored: SiteEntry;
  /** Whether the edge has to compress `stored`. */
  readonly isCompressedHere: boolean;
  /** Whether another client could get the same file in another coding. */
  readonly dependsOnClient: boolean;
}

type Option = Pick<Representation, 'coding' | 'stored' | 'isCompressedHere'>;

/** Paths at which a file may have been deployed compressed. */
export function siblingsOf(path: string): readonly string[] {
  return codings.map((coding) => path + extensions[coding]);
}

/**
 * Chooses the coding that the client prefers. Between equal ones, a sibling that was deployed (`app.js.br` beside `app.js`)
 * comes before a file that the edge compresses, and Brotli before gzip. A range is a range of the uncompressed file, so a
 * client that asks for one gets that, if it accepts it.
 * @param index contains at least the file and its siblings
 * @returns undefined when the client accepts none of the codings
 */
export function chooseRepresentation(
  index: SiteIndex,
  path: string,
  client: { readonly acceptEncoding: string | undefined; readonly wantsRange: boolean },
): Representation | undefined {
  const file = index.get(path);
  if (file === undefined) return undefined;
  const contentType = contentTypeOf(path);
  const uncompressed: Option = { coding: 'identity', stored: file, isCompressedHere: false };
  const acceptsUncompressed = acceptedCodings(client.acceptEncoding, ['identity']).length > 0;

  const compressed = [...deployedOptions(index, path)];
  // For a client that refuses uncompressed files, the edge compresses even those that hardly shrink.
  const isWorthCompressing = isCompressible(contentType) && file.bytes >= compressedBytes.least;
  if ((isWorthCompressing || !acceptsUncompressed) && file.bytes <= compressedBytes.most)
    compressed.push(...codings.map((coding) => ({ coding, stored: file, isCompressedHere: true })));

  const dependsOnClient = compressed.length > 0;
  if (client.wantsRange && acceptsUncompressed) return { ...uncompressed, contentType, dependsOnClient };
  const options = [...compressed, uncompressed];
  const [best] = acceptedCodings(client.acceptEncoding, [...new Set(options.map(({ coding }) => coding))]);
  const chosen = options.find(({ coding }) => coding === best);
  return chosen && { ...chosen, contentType, dependsOnClient };
}

function deployedOptions(index: SiteIndex, path: string): readonly Option[] {
  return codings.flatMap((coding) => {
    const stored = index.get(path + extensions[coding]);
    return stored === undefined ? [] : [{ coding, stored, isCompressedHere: false }];
  });
}

/** The available codings that the client accepts (RFC 9110 §12.5.3), the best first. `x-gzip` means gzip (§8.4.1.3). */
function acceptedCodings<Available extends string>(
  acceptEncoding: string | undefined,
  available: readonly Available[],
): readonly Available[] {
  const headers = { 'accept-encoding': acceptEncoding?.replaceAll(/\bx-gzip\b/gi, 'gzip') };
  return new Negotiator({ headers }).encodings(available, { preferred: available });
}

/** Textual types whose names do not begin with `text/`. */
const textTypes = new Set([
  'application/javascript',
  'application/json',
  'application/ld+json',
  'application/manifest+json',
  'application/xml',
]);

/** Types that are not text and shrink when compressed. Other images, fonts, sound and archives are compressed already. */
const compressibleTypes = new Set([
  'application/wasm',
  'font/ttf',
  'font/otf',
  'application/vnd.ms-fontobject',
  'image/bmp',
]);

/** Types of files whose names do not say them, and one that browsers do not run as what it is. */
const typesOfNames: readonly (readonly [RegExp, string])[] = [
  // Apple's clients read it only as JSON.
  [/(?:^|\/)apple-app-site-association$/, 'application/json'],
  [/\.cjs$/, 'text/javascript'],
];

/** Content type by the file's name. Text is UTF-8, as every site generator writes it. */
export function contentTypeOf(path: string): string {
  const [, named] = typesOfNames.find(([name]) => name.test(path)) ?? [];
  const type = named ?? mime.getType(path) ?? 'application/octet-stream';
  return isText(type) ? `${type}; charset=utf-8` : type;
}

export function isCompressible(contentType: string): boolean {
  const [type = ''] = contentType.split(';', 1);
  return isText(type) || compressibleTypes.has(type);
}

function isText(type: string): boolean {
  return type.startsWith('text/') || textTypes.has(type) || /\+(?:xml|json)$/.test(type);
}
