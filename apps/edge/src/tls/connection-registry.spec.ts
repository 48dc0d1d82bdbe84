import { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, it } from '@jest/globals';
import { wildcardOf, type EdgeRoute } from '@pets/contracts/edge-feed';
import fc from 'fast-check';
import { RouteCache } from '../store/route-cache.js';
import { summarize } from '../store/route-changes.js';
import { ConnectionRegistry } from './connection-registry.js';

const site = (certificateId: string): EdgeRoute => ({
  answersChallenges: true,
  serve: { kind: 'site', contentHash: 'ab' },
  certificateId,
});
const pending: EdgeRoute = { answersChallenges: true, serve: null, certificateId: null };
const routes = [
  site('c1'),
  site('c2'),
  pending,
  { ...pending, wildcardUntilCertified: true as const },
  { ...site('c3'), serve: { kind: 'suspended' as const } },
  { ...pending, serve: { kind: 'excluded' as const } },
  undefined,
];

const hosts = ['a.wild.test', 'b.wild.test', 'wild.test', 'a.test'];
const rows = [...hosts, '*.wild.test', '*.test'];

/** A table whose changes are passed on as a serving process does. */
class Table {
  readonly rows = new Map<string, EdgeRoute>();
  readonly cache = new RouteCache({ find: (row) => this.rows.get(row), close: () => undefined });
  readonly registry = new ConnectionRegistry((host) => this.cache.find(host));

  /** @returns the rows that stopped */
  change(changed: Readonly<Record<string, EdgeRoute | undefined>>): readonly string[] {
    const changes = Object.entries(changed).map(([host, is]) => ({ host, was: this.rows.get(host), is }));
    for (const { host, is } of changes) {
      if (is === undefined) this.rows.delete(host);
      else this.rows.set(host, is);
    }
    const { stoppedHosts } = summarize(changes);
    this.cache.dropRows(changes.map(({ host }) => host));
    this.registry.rowsChanged(Object.keys(changed), stoppedHosts);
    return stoppedHosts;
  }

  /** A connection of a host that has a certificate. */
  connect(host: string): Socket | undefined {
    const route = this.cache.find(host);
    if (route?.route.certificateId == null) return undefined;
    const socket = new Socket().on('error', () => undefined); // never connected; the registry only ends it
    this.registry.presented(socket as TLSSocket, route);
    this.registry.addSecure(socket as TLSSocket, host);
    return socket;
  }

  answerFor(host: string) {
    const found = this.cache.find(host);
    return found && { row: found.row, isInterim: found.isInterim, hasCertificate: found.route.certificateId !== null };
  }
}

it('ends a connection when its row stops or another one takes its place, and no other connection', () => {
  const change = fc.dictionary(fc.constantFrom(...rows), fc.constantFrom(...routes));
  const step = fc.oneof(change, fc.constantFrom(...hosts));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const table = new Table();
      const open = new Map<Socket, string>();
      for (const current of steps) {
        if (typeof current === 'string') {
          const socket = table.connect(current);
          if (socket !== undefined) open.set(socket, current);
          continue;
        }
        const before = new Map(hosts.map((host) => [host, table.answerFor(host)]));
        const stopped = table.change(current);
        for (const [socket, host] of open) {
          const [was, is] = [before.get(host), table.answerFor(host)];
          const isSameRow = is !== undefined && was?.row === is.row && !stopped.includes(is.row);
          const isCertifiedNow = was?.isInterim === true && is?.row === host && is.hasCertificate;
          expect([host, socket.destroyed]).toEqual([host, !isSameRow && !isCertifiedNow]);
          if (socket.destroyed) open.delete(socket);
        }
      }
    }),
    { numRuns: 300 },
  );
});

it('ends a connection whose row changed during the handshake', () => {
  const table = new Table();
  table.change({ '*.wild.test': site('c1') });
  const [host, wildcard] = ['a.wild.test', wildcardOf('a.wild.test') ?? ''];
  const presented = table.cache.find(host);
  expect(presented?.row).toBe(wildcard);
  table.change({ [host]: site('c2') });
  const socket = new Socket().on('error', () => undefined);
  if (presented !== undefined) table.registry.presented(socket as TLSSocket, presented);
  table.registry.addSecure(socket as TLSSocket, host);
  expect(socket.destroyed).toBe(false);
  return new Promise<void>((resolve) => socket.once('close', () => resolve()));
});
