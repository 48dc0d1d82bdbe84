import { NOTHING, type Exchange, type Headers } from './exchange.js';
import { renderPage, type PageName } from './pages.js';

/** One of the edge's own pages, with headers that it has here besides. */
export function sendPage(name: PageName, exchange: Exchange, besides?: Headers): void {
  const { status, headers, body } = renderPage(name);
  // What follows a request that made no sense may be meant to be taken for the next one.
  if (name === 'bad_request' && exchange.protocol !== 'http/2') exchange.endConnection();
  exchange.reply(status, besides === undefined ? headers : { ...headers, ...besides }, body);
}

/** A whole body, of whatever length. */
export function sendWhole(status: number, headers: Headers, body: Buffer, exchange: Exchange): void {
  exchange.reply(status, { ...headers, 'content-length': String(body.length) }, body);
}

/** A head that nothing follows, for a status or a method that has no body. */
export function sendHead(status: number, headers: Headers, exchange: Exchange): void {
  exchange.reply(status, headers, NOTHING);
}
