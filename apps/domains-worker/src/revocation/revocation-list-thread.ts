/** The thread of revocation-check.service.ts: evaluates one list. */
import { extname } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { RevocationList } from './revocation-check.service.js';

// In tests, threads do not have the loader that maps `.js` to a TypeScript source.
const extension = extname(new URL(import.meta.url).pathname);
const { evaluateRevocationList } = (await import(
  new URL(`./evaluate-revocation-list${extension}`, import.meta.url).href
)) as typeof import('./evaluate-revocation-list.js');

parentPort?.once('message', ({ der, issuer, serialNumber }: RevocationList) => {
  const list = { issuer: Buffer.from(issuer), serialNumber };
  void evaluateRevocationList(Buffer.from(der), list, new Date()).then((verdict) => parentPort?.postMessage(verdict));
});
