import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, openFileStorage } from '@pets/platform';
import { Connection } from '../tls/connection.js';
import { Exchange } from './exchange.js';
import { Responder } from './respond.js';
import { SiteFiles } from './site-files.js';

let folder: string;
let responder: Responder;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'respond-'));
  const files = new SiteFiles({ storage: await openFileStorage(pathToFileURL(folder).href) });
  responder = new Responder(files, () => undefined, createLogger('test', 'silent'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A connection on which nothing can be sent any more. */
class BrokenExchange extends Exchange {
  readonly protocol = 'http/1.1';
  readonly method = 'GET';
  readonly target = '/';
  readonly hosts = ['site.test'];
  readonly announcesBody = false;
  readonly isClosed = false;
  isAborted = false;

  header(): undefined {
    return undefined;
  }

  endConnection(): void {
    throw new Error('unexpected call');
  }

  abort(): void {
    this.isAborted = true;
  }

  refuse(): void {
    throw new Error('unexpected call');
  }

  onFinished(): void {
    throw new Error('unexpected call');
  }

  abortStalled(): void {
    throw new Error('unexpected call');
  }

  protected writeFirst(): void {
    throw new Error('the head was sent already');
  }

  protected writeNext(): void {
    throw new Error('the head was sent already');
  }
}

/** A connection of which only the status of a response is of interest. */
class StatusExchange extends BrokenExchange {
  written = 0;

  protected override writeFirst(status?: number): void {
    this.written = status ?? 0;
  }
}

it('reads nothing from the storage for a deployment whose hash is none', () => {
  const exchange = new StatusExchange(new Connection(new Socket()));
  const site = { kind: 'site', target: '/', host: 'site.test', publicHttpsPort: 443 } as const;
  responder.respond({ ...site, contentHash: '../ab' }, exchange);
  expect(exchange.written).toBe(503);
});

describe('Responder.fail', () => {
  it('aborts a connection that cannot receive an error page, and does not throw', () => {
    const exchange = new BrokenExchange(new Connection(new Socket()));
    responder.fail(new Error('a bug'), exchange);
    expect(exchange.isAborted).toBe(true);
  });
});
