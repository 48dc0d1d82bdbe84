import { describe, expect, it } from '@jest/globals';
import { channelLabel, findReservation, platformLabels, reservedGroups } from './reserved-names.js';

const none = { platformLabels: [], extraNames: [] };

describe('findReservation', () => {
  it.each(reservedGroups.flatMap(({ title, names }) => names.map((name) => [name, title] as const)))(
    'reserves %s (%s)',
    (name, title) => expect(findReservation(name, none)).toBe(title),
  );

  it.each([
    ...[
      'ns1',
      'ns01',
      'ns-1',
      'mx10',
      'smtp2',
      'www2',
      'www-2',
      'login1',
      'wpad0',
      'vpn99',
      'dns1',
      'cdn3',
      's3',
      '2fa',
    ],
    ...['mtasts', 'm-t-a-s-t-s', 'log-in', 'sign-in', 'auto-discover', 'noreply', 'LOGIN', 'Mta-Sts'],
    ...['_dmarc', '_acme-challenge', '_mta-sts', 'xn--login-9za', 'xn--80ak6aa92e'],
  ])('reserves %s, a form of a reserved name', (label) => expect(findReservation(label, none)).not.toBeNull());

  it.each([
    ...['acme-docs', 'free-docs', 'news24', 'info1', 'rex', 'logins-of-rex', 'apiary', 'mailbox', 'nsa', 'wwwhat'],
    ...['login-docs', 'n1s', '24', '1', 'a', 'docs2', 'bookstore'],
  ])('leaves %s to projects', (label) => expect(findReservation(label, none)).toBeNull());

  it('says why it reserves names of no group', () => {
    expect(findReservation('_dmarc', none)).toBe('Names that begin with an underscore');
    expect(findReservation('xn--login-9za', none)).toBe('Internationalized names');
  });

  it('reserves the labels of the platform’s own hosts', () => {
    const own = { ...none, platformLabels: ['eu-west'] };
    expect(findReservation('eu-west', own)).toBe('Hosts of the platform');
    expect(findReservation('euwest', own)).toBe('Hosts of the platform');
    expect(findReservation('eu-west2', own)).toBeNull();
  });

  it('reserves what the operator adds, with a number too', () => {
    const local = { ...none, extraNames: ['brand', 'area-51'] };
    for (const label of ['brand', 'brand7', 'br-and', 'area-51', 'area51'])
      expect(findReservation(label, local)).toBe('Reserved by the operator');
    expect(findReservation('branding', local)).toBeNull();
    expect(findReservation('area', local)).toBeNull();
  });

  it('has no name twice', () => {
    const names = reservedGroups.flatMap((group) => group.names.map((name) => name.replaceAll('-', '')));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('platformLabels', () => {
  it.each<[string, string[], string[]]>([
    ['a host below the platform domain', ['https://console-x.pets.example'], ['console-x']],
    ['a deeper one, by the label a project could have', ['https://api.eu.pets.example:8443/x'], ['eu']],
    ['another spelling', ['https://Console-X.PETS.example./'], ['console-x']],
    ['the endpoint of a bucket', ['s3://files/prefix?endpoint=https%3A%2F%2Fminio.pets.example&region=x'], ['minio']],
    ['a database', ['postgres://user:secret@pg-main.pets.example/pets'], ['pg-main']],
    [
      'the domain itself, hosts elsewhere and other text',
      ['https://pets.example', 'https://api.other.example', 'x'],
      [],
    ],
    ['a domain that only ends alike', ['https://api.mypets.example'], []],
  ])('finds %s', (_name, urls, labels) => expect(platformLabels('pets.example', urls)).toEqual(labels));
});

it('the label of a channel is its name and the slug, which no other channel and slug have', () => {
  expect(channelLabel('pr-12', 'acme-docs')).toBe('pr-12--acme-docs');
});
