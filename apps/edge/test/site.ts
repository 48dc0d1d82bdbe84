import { brotliCompressSync, gzipSync } from 'node:zlib';
import { redirectRoute, platformRoute, siteRoute, Stand } from './stand.js';
import type { Asking, Reply } from './visitor.js';

export const script = 'export const answer = 42;\n'.repeat(400);
export const page = `<h1>Page</h1>${'<p>words and words</p>'.repeat(200)}`;
export const large = Buffer.alloc(6_000_000, 'l');
export const hsts = 'max-age=86400; includeSubDomains';

/** A deployment of its own. */
export const SITE_HASH = 'f00d';

/** An edge that serves files of every kind at `site.test`, and the same with Strict-Transport-Security elsewhere. */
export async function buildSite(): Promise<Stand> {
  const stand = await Stand.build();
  await stand.startEdge();
  await stand.deploy(
    {
      'index.html': page,
      'app.3f2a9c1b.js': script,
      'ready.js': script,
      'ready.js.br': brotliCompressSync(script),
      'ready.js.gz': gzipSync(script),
      'digits.txt': '0123456789',
      'empty.txt': '',
      'photo.png': Buffer.alloc(5_000, 1),
      'large.json': large,
      '404.html': `Lost? ${page}`,
    },
    SITE_HASH,
  );
  await stand.issue('site', 'site.test');
  await stand.issue('strict', 'strict.test');
  await stand.issue('moved', 'moved.test');
  await stand.api.publishAndSettle({
    'site.test': siteRoute('site', SITE_HASH),
    'strict.test': { ...siteRoute('strict', SITE_HASH), hsts },
    'moved.test': { ...redirectRoute('strict.test', 'moved', 301), hsts },
    'acme.pets.test': platformRoute,
  });
  return stand;
}

/** Asks `site.test`. */
export function askSite(stand: Stand, path: string, headers: Asking['headers'] = {}, method = 'GET'): Promise<Reply> {
  return stand.visitor.secure('site.test', { path, headers, method });
}

/** What stays the same from one answer to the next. */
export function lasting({ headers }: Reply): object {
  return { ...headers, date: undefined, connection: undefined };
}
