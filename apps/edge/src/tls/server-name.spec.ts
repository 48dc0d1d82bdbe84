import { describe, expect, it } from '@jest/globals';
import { PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts';
import { chooseCertificate } from './server-name.js';

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
  ])('%s', (_name, host, known, choice) => expect(chooseCertificate(host, known, 'pets.test')).toEqual(choice));
});
