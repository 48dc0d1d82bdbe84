import { describe, expect, it } from '@jest/globals';
import { PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts/edge-feed';
import { chooseCertificate } from './server-name.js';

const issued = '3f0c1ad2-5e6f-4a0b-9c1d-2e3f4a5b6c7d';
const platform = (id: string | null = PLATFORM_CERTIFICATE) => ({ domain: 'pets.test', certificate: { id } });

const route = (certificateId: string | null): EdgeRoute => ({ answersChallenges: true, serve: null, certificateId });

describe('chooseCertificate', () => {
  it.each([
    ['a route with a certificate', 'docs.example.com', route('c1'), { kind: 'present', certificateId: 'c1' }],
    ['an unknown name', 'docs.example.com', undefined, { kind: 'refuse', reason: 'unknown_name' }],
    ['a name that is being issued', 'docs.example.com', route(null), { kind: 'refuse', reason: 'no_certificate' }],
    [
      'a platform host',
      'acme.pets.test',
      route(PLATFORM_CERTIFICATE),
      { kind: 'present', certificateId: PLATFORM_CERTIFICATE },
    ],
    [
      'a foreign host with the platform’s',
      'docs.example.com',
      route(PLATFORM_CERTIFICATE),
      { kind: 'refuse', reason: 'not_covered' },
    ],
    ['a deeper platform host', 'a.b.pets.test', route(PLATFORM_CERTIFICATE), { kind: 'refuse', reason: 'not_covered' }],
  ])('%s', (_name, host, known, choice) => expect(chooseCertificate(host, known, platform())).toEqual(choice));

  it('presents the issued certificate for a platform host', () =>
    expect(chooseCertificate('acme.pets.test', route(PLATFORM_CERTIFICATE), platform(issued))).toEqual({
      kind: 'present',
      certificateId: issued,
    }));

  it('refuses a platform host until there is a certificate', () =>
    expect(chooseCertificate('acme.pets.test', route(PLATFORM_CERTIFICATE), platform(null))).toEqual({
      kind: 'refuse',
      reason: 'no_certificate',
    }));
});
