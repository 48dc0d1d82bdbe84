import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger, openFileStorage } from '@pets/platform';
import { Connection } from '../tls/connection.js';
import { Exchange } from './exchange.js';
import { Responder } from './respond.js';
import { SiteFiles } from './site-files.js';

let folder: string;
let responder: Responder;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'respond-'));
  const files = new SiteFiles(await openFileStorage(pathToFileURL(folder).href));
  responder = new Responder(files, createLogger('test', 'silent'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A connection on which nothing can be said any more. */
class BrokenExchange extends Exchange {
  readonly protocol = 'http/1.1';
  readonly connection = new Connection(new Socket());
  readonly method = 'GET';
  readonly target = '/';
  readonly hosts = ['site.test'];
  readonly announcesBody = false;
  readonly isGone = false;
  hasBrokenOff = false;

  header(): undefined {
    return undefined;
  }

  endConnection(): void {
    throw new Error('not asked for here');
  }

  breakOff(): void {
    this.hasBrokenOff = true;
  }

  whenEnded(): void {
    throw new Error('not asked for here');
  }

  refuse(): void {
    throw new Error('there is room for it');
  }

  protected afterWrite(): void {
    throw new Error('nothing was written');
  }

  protected sendFirst(): void {
    throw new Error('the head is out already');
  }

  protected sendNext(): void {
    throw new Error('the head is out already');
  }
}

it('breaks off what cannot even be refused, and throws nothing: others are being served', () => {
  const exchange = new BrokenExchange();
  responder.fail(new Error('a mistake of ours'), exchange);
  expect(exchange.hasBrokenOff).toBe(true);
});
