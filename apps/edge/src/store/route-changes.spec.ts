import { describe, expect, it } from '@jest/globals';
import { EDGE_FEED_PROTOCOL, PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts/edge-feed';
import { findGap, positionAfter, summarize, type FeedBatch } from './route-changes.js';

const site = (certificateId: string | null, contentHash = 'a0'): EdgeRoute => ({
  answersChallenges: true,
  serve: { kind: 'site', contentHash },
  certificateId,
});
const suspended = (certificateId: string): EdgeRoute => ({ ...site(certificateId), serve: { kind: 'suspended' } });
const pending: EdgeRoute = { answersChallenges: true, serve: null, certificateId: null };

const position = { epoch: 'e1', version: 5, thumbprint: 'T' };

function batch(changed: Partial<FeedBatch>): FeedBatch {
  const usual = { kind: 'batch' as const, epoch: 'e1', after: 5, version: 6, thumbprint: 'T' };
  return { ...usual, entries: [], protocol: EDGE_FEED_PROTOCOL, platformCertificate: null, ...changed };
}

describe('findGap', () => {
  it.each([
    ['the next version', {}],
    ['a part of a version', { version: 5 }],
  ])('accepts %s', (_name, changed) => expect(findGap(position, batch(changed))).toBeUndefined());

  it.each([
    ['another epoch', { epoch: 'e2' }, 'epoch e2 follows e1 without a snapshot'],
    ['a batch after a later version', { after: 6, version: 7 }, 'a batch after 6 does not follow version 5'],
    ['a batch after an earlier version', { after: 4 }, 'a batch after 4 does not follow version 5'],
    ['a version that goes back', { version: 4 }, 'version 4 is older than 5'],
  ])('refuses %s', (_name, changed, reason) => expect(findGap(position, batch(changed))).toBe(reason));

  it('names what an empty table lacks', () =>
    expect(findGap({ ...position, epoch: '' }, batch({}))).toBe('epoch e1 follows nothing without a snapshot'));
});

it('takes over what a batch says', () =>
  expect(positionAfter(batch({ thumbprint: 'U', platformCertificate: 'p2' }))).toEqual({
    epoch: 'e1',
    version: 6,
    thumbprint: 'U',
    platformCertificate: 'p2',
  }));

describe('summarize', () => {
  const nothing = { stoppedHosts: [], renewals: [], droppedCertificates: [] };

  it.each<[string, EdgeRoute | undefined, EdgeRoute | undefined, Partial<ReturnType<typeof summarize>>]>([
    ['a new host', undefined, site('c1'), {}],
    ['a host that was never there', undefined, undefined, {}],
    ['a suspended host', site('c1'), suspended('c1'), { stoppedHosts: ['a.test'] }],
    ['a removed host', site('c1'), undefined, { stoppedHosts: ['a.test'], droppedCertificates: ['c1'] }],
    ['a pending host that is removed', pending, undefined, { stoppedHosts: ['a.test'] }],
    ['a lost certificate', site('c1'), site(null), { stoppedHosts: ['a.test'], droppedCertificates: ['c1'] }],
    ['nothing to serve any more', site('c1'), { ...site('c1'), serve: null }, { stoppedHosts: ['a.test'] }],
    ['a new deployment', site('c1'), site('c1', 'b1'), {}],
    ['a first certificate', pending, site('c1'), {}],
    ['a renewal', site('c1'), site('c2'), { renewals: [{ from: 'c1', to: 'c2' }], droppedCertificates: ['c1'] }],
    ['an own certificate', site(PLATFORM_CERTIFICATE), site('c1'), {}],
    ['the platform certificate', site('c1'), site(PLATFORM_CERTIFICATE), { droppedCertificates: ['c1'] }],
    ['a removed host of the platform', site(PLATFORM_CERTIFICATE), undefined, { stoppedHosts: ['a.test'] }],
  ])('describes %s', (_name, was, is, expected) =>
    expect(summarize([{ host: 'a.test', was, is }])).toEqual({ ...nothing, hosts: ['a.test'], ...expected }),
  );

  it('names a certificate of several hosts once', () => {
    const changes = ['a.test', 'b.test'].map((host) => ({ host, was: site('c1'), is: undefined }));
    expect(summarize(changes).droppedCertificates).toEqual(['c1']);
  });
});
