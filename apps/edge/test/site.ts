import { brotliCompressSync, gzipSync } from 'node:zlib';
import { redirectRoute, platformRoute, siteRoute, EdgeFixture } from './edge-fixture.js';
import type { Asking, Reply } from './visitor.js';

export const script = 'export const answer = 42;\n'.repeat(400);
export const page = `<h1>Page</h1>${'<p>words and words</p>'.repeat(200)}`;
export const large = Buffer.alloc(6_000_000, 'l');
export const hsts = 'max-age=86400; includeSubDomains';

/** A deployment of its own. */
export const SITE_HASH = 'f00d';

/** An edge that serves files of every kind at `site.test`, and the same with Strict-Transport-Security elsewhere. */
export async function buildSite(): Promise<EdgeFixture> {
  const fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.deploy(
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
  await fixture.issue('site', 'site.test');
  await fixture.issue('strict', 'strict.test');
  await fixture.issue('moved', 'moved.test');
  await fixture.api.publishAndSettle({
    'site.test': siteRoute('site', SITE_HASH),
    'strict.test': { ...siteRoute('strict', SITE_HASH), hsts },
    'moved.test': { ...redirectRoute('strict.test', 'moved', 301), hsts },
    'acme.pets.test': platformRoute,
  });
  return fixture;
}

/** Asks `site.test`. */
export function askSite(
  fixture: EdgeFixture,
  path: string,
  headers: Asking['headers'] = {},
  method = 'GET',
): Promise<Reply> {
  return fixture.visitor.secure('site.test', { path, headers, method });
}

/** The parts of an answer that do not change between requests. */
export function lasting({ headers }: Reply): object {
  return { ...headers, date: undefined, 'x-request-id': undefined, connection: undefined };
}
