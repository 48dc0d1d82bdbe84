import type { SiteEntry, SiteIndex } from '@pets/platform';
import { codings, readAcceptEncoding, type Coding } from './accept-encoding.js';
import { contentTypeOf, isCompressible } from './content-type.js';
import { compressedBytes } from './limits.js';

/** One way of sending a file of a deployment. */
export interface Representation {
  readonly contentType: string;
  readonly coding: Coding | 'identity';
  /** What is in the storage: the file itself, or its sibling that was deployed compressed. */
  readonly stored: SiteEntry;
  /** Whether `stored` is yet to be compressed. */
  readonly isCompressedHere: boolean;
  /** Whether another client could get the same file in another way. */
  readonly dependsOnClient: boolean;
}

const extensions = { br: '.br', gzip: '.gz' } as const satisfies Record<Coding, string>;

/** Where a file may have been deployed compressed. */
export function siblingsOf(path: string): readonly string[] {
  return codings.map((coding) => path + extensions[coding]);
}

/**
 * Chooses by what the client wants most; among what it wants alike, a sibling that was deployed (`app.js.br` beside
 * `app.js`) comes before what has to be compressed here, and Brotli before gzip. Ranges are ranges of the file as it
 * is: a client that wants one gets it uncompressed, if it takes that.
 * @param index knows at least the file and its siblings
 * @returns undefined when the client accepts no way that there is
 */
export function chooseRepresentation(
  index: SiteIndex,
  path: string,
  client: { readonly acceptEncoding: string | undefined; readonly wantsRange: boolean },
): Representation | undefined {
  const file = index.get(path);
  if (file === undefined) return undefined;
  const acceptance = readAcceptEncoding(client.acceptEncoding);
  const contentType = contentTypeOf(path);
  const siblings = codings.flatMap((coding) => {
    const stored = index.get(path + extensions[coding]);
    return stored === undefined ? [] : [{ coding, stored, isCompressedHere: false }];
  });
  // Who refuses bytes as they are gets others, whether or not that is worth it.
  const isWorthIt = acceptance.identity === 0 || (isCompressible(contentType) && file.bytes >= compressedBytes.least);
  const isFeasible = file.bytes <= compressedBytes.most;
  const made =
    isWorthIt && isFeasible ? codings.map((coding) => ({ coding, stored: file, isCompressedHere: true })) : [];
  const asIs = { coding: 'identity', stored: file, isCompressedHere: false } as const;

  const dependsOnClient = siblings.length + made.length > 0;
  if (client.wantsRange && acceptance.identity > 0) return { ...asIs, contentType, dependsOnClient };
  const ways = [...siblings, ...made, asIs].filter(({ coding }) => acceptance[coding] > 0);
  const [best] = ways.sort((a, b) => acceptance[b.coding] - acceptance[a.coding]); // a stable sort
  return best && { ...best, contentType, dependsOnClient };
}
