import { describe, expect, it } from '@jest/globals';
import { PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts';
import { RouteTable, type FeedBatch } from './route-table.js';

const site = (certificateId: string | null, contentHash = 'a0'): EdgeRoute => ({
  answersChallenges: true,
  serve: { kind: 'site', contentHash },
  certificateId,
});
const suspended = (certificateId: string | null): EdgeRoute => ({
  answersChallenges: false,
  serve: { kind: 'suspended' },
  certificateId,
});
const pending: EdgeRoute = { answersChallenges: true, serve: null, certificateId: null };

function batch(
  after: number,
  version: number,
  routes: Record<string, EdgeRoute | null>,
  extra: Partial<FeedBatch> = {},
): FeedBatch {
  const entries = Object.entries(routes).map(([host, route]) => ({ host, version, route }));
  return { kind: 'batch', epoch: 'e1', after, version, reset: false, entries, thumbprint: 'T', ...extra };
}

function tableAt5(): RouteTable {
  const table = new RouteTable();
  table.apply(batch(0, 5, { 'a.test': site('c1'), 'b.test': site('c2'), 'c.test': pending }, { reset: true }));
  return table;
}

const applied = { kind: 'applied', stoppedHosts: [], newCertificates: [], droppedCertificates: [] };

describe('RouteTable', () => {
  it('starts from a reset', () => {
    const table = tableAt5();
    expect(table.find('a.test')).toEqual(site('c1'));
    expect(table.state).toMatchObject({ epoch: 'e1', version: 5, thumbprint: 'T' });
    expect(table.certificateIds()).toEqual(['c1', 'c2']);
  });

  it.each<[string, FeedBatch, Partial<typeof applied> | Record<string, readonly string[]>]>([
    ['an empty batch', batch(5, 6, {}), {}],
    ['a suspended host', batch(5, 6, { 'a.test': suspended('c1') }), { stoppedHosts: ['a.test'] }],
    ['a removed host', batch(5, 6, { 'a.test': null }), { stoppedHosts: ['a.test'], droppedCertificates: ['c1'] }],
    ['a host that was never there', batch(5, 6, { 'x.test': null }), {}],
    ['a pending host that is removed', batch(5, 6, { 'c.test': null }), { stoppedHosts: ['c.test'] }],
    [
      'a host that loses its certificate',
      batch(5, 6, { 'a.test': site(null) }),
      { stoppedHosts: ['a.test'], droppedCertificates: ['c1'] },
    ],
    [
      'a host with nothing to serve any more',
      batch(5, 6, { 'a.test': { ...site('c1'), serve: null } }),
      { stoppedHosts: ['a.test'] },
    ],
    ['a new deployment', batch(5, 6, { 'a.test': site('c1', 'b1') }), {}],
    [
      'a renewed certificate',
      batch(5, 6, { 'a.test': site('c9') }),
      { newCertificates: ['c9'], droppedCertificates: ['c1'] },
    ],
    [
      'a certificate that moves to another host',
      batch(5, 6, { 'a.test': null, 'd.test': site('c1') }),
      { stoppedHosts: ['a.test'] },
    ],
    ['the platform certificate', batch(5, 6, { 'd.test': site(PLATFORM_CERTIFICATE) }), {}],
    [
      'a reset with fewer hosts',
      batch(0, 2, { 'b.test': site('c2'), 'd.test': site('c3') }, { reset: true, epoch: 'e2' }),
      { stoppedHosts: ['a.test', 'c.test'], newCertificates: ['c3'], droppedCertificates: ['c1'] },
    ],
  ])('returns the effects of %s', (_name, change, effects) => {
    expect(tableAt5().apply(change)).toEqual({ ...applied, ...effects });
  });

  it('keeps a certificate until its last host is gone', () => {
    const table = tableAt5();
    table.apply(batch(5, 6, { 'd.test': site('c1') }));
    expect(table.apply(batch(6, 7, { 'a.test': null }))).toEqual({ ...applied, stoppedHosts: ['a.test'] });
    expect(table.apply(batch(7, 8, { 'd.test': null }))).toMatchObject({ droppedCertificates: ['c1'] });
  });

  it('forgets what a reset does not name', () => {
    const table = tableAt5();
    table.apply(batch(0, 1, { 'b.test': site('c2') }, { reset: true, epoch: 'e2' }));
    expect(table.find('a.test')).toBeUndefined();
    expect(table.state).toMatchObject({ epoch: 'e2', version: 1 });
  });

  it.each([
    ['a version was skipped', batch(6, 7, { 'a.test': null })],
    ['a batch comes again', batch(4, 5, { 'a.test': null })],
    ['the epoch is another', batch(5, 6, { 'a.test': null }, { epoch: 'e2' })],
    ['versions descend', batch(5, 4, { 'a.test': null })],
  ])('applies nothing when %s', (_name, change) => {
    const table = tableAt5();
    expect(table.apply(change)).toMatchObject({ kind: 'gap' });
    expect(table.find('a.test')).toEqual(site('c1'));
    expect(table.state.version).toBe(5);
  });

  it('knows after a restore what it knew before', () => {
    const table = new RouteTable();
    table.restore(tableAt5().state);
    expect(table.apply(batch(5, 6, { 'a.test': null }))).toEqual({
      ...applied,
      stoppedHosts: ['a.test'],
      droppedCertificates: ['c1'],
    });
  });

  describe('the protocol of what it holds', () => {
    const protocolAfter = (...batches: FeedBatch[]) => {
      const table = new RouteTable();
      for (const one of batches) table.apply(one);
      return table.state.protocol;
    };
    const reset = (protocol?: number) => batch(0, 5, {}, { reset: true, ...(protocol !== undefined && { protocol }) });
    const change = (protocol?: number) => batch(5, 6, {}, protocol === undefined ? {} : { protocol });

    it.each([
      ['an API of the previous release', [reset()], 1],
      ['an API of this release', [reset(2)], 2],
      ['an API that was updated meanwhile', [reset(), change(2)], 1],
      ['an API that was rolled back meanwhile', [reset(2), change()], 1],
      ['a new start after an update', [reset(), reset(2)], 2],
    ])('from %s', (_name, batches, protocol) => expect(protocolAfter(...batches)).toBe(protocol));
  });
});
