import { describe, expect, it } from '@jest/globals';
import { clientBehind, hasPassed, requestFields, type AddedFields, type RequestContext } from './request-fields.js';

const context: RequestContext = {
  hostHeader: 'Shop.example:8443',
  host: 'shop.example',
  version: '1.1',
  client: '2001:db8::7',
  requestId: 'r1',
  serve: { kind: 'application', origin: 'o1', domainId: 'd1', externalId: 'ä', metadata: '{"a": 1}' },
};
const added: AddedFields = { hostHeader: undefined, pseudonym: 'pets.test', fields: new Map() };

const own = [
  ...['x-forwarded-for', '2001:db8::7', 'x-forwarded-proto', 'https', 'x-forwarded-host', 'Shop.example:8443'],
  ...['forwarded', 'for="[2001:db8::7]";host="Shop.example:8443";proto=https', 'x-request-id', 'r1'],
  ...['x-pets-domain', 'shop.example', 'x-pets-domain-id', 'd1', 'x-pets-external-id', '%C3%A4'],
  ...['x-pets-metadata', '{"a":%201}'],
];

describe('the fields of a forwarded request', () => {
  it('are those of the visitor, then Via, then those of the edge, then those of the origin', () => {
    const received = ['Host', 'Shop.example:8443', 'Accept', '*/*', 'Origin', 'https://a', 'Sec-Fetch-Mode', 'cors'];
    expect(requestFields(received, context, { ...added, fields: new Map([['x-secret', 's']]) })).toEqual([
      ...['host', 'Shop.example:8443', 'accept', '*/*', 'origin', 'https://a', 'sec-fetch-mode', 'cors'],
      ...['via', '1.1 pets.test', ...own, 'x-secret', 's'],
    ]);
  });

  it.each([
    ...['Connection', 'Keep-Alive', 'Proxy-Connection', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'],
    ...['X-Pets-Domain', 'x_pets_domain', 'X-Pets_Domain-Id', 'X-PETS-ANYTHING'],
    ...['X-Forwarded-For', 'x_forwarded_for', 'X-Forwarded_Proto', 'Forwarded', 'X-Real-IP', 'X_Real_IP'],
    ...['X-Request-Id', 'Signature', 'Signature-Input', 'Proxy-Authorization', 'Proxy', 'Proxy_Status', 'Expect'],
    ...['HTTP2-Settings', 'http2_settings', 'Content-Length', 'Content_Length', 'Host', ':authority'],
  ])('never have the %s of a visitor', (name) => {
    expect(requestFields([name, 'claimed'], context, added)).not.toContain('claimed');
  });

  it('have no field that the visitor declares as one of its connection', () => {
    const received = ['Connection', 'close, X-One', 'X-One', '1', 'X-Two', '2'];
    const fields = requestFields(received, context, added);
    expect([fields.includes('x-one'), fields.includes('x-two')]).toEqual([false, true]);
  });

  it('never have a secret that a visitor guesses, with _ or -', () => {
    const secret = { ...added, fields: new Map([['x-app-secret', 'right']]) };
    const fields = requestFields(['X-App-Secret', 'wrong', 'x_app_secret', 'wrong'], context, secret);
    expect(fields.filter((part) => part === 'wrong' || part === 'right')).toEqual(['right']);
  });

  it('have one Cookie, and all of Via in one field', () => {
    const received = ['cookie', 'a=1', 'via', '1.0 first', 'cookie', 'b=2', 'via', '1.1 second'];
    const fields = requestFields(received, { ...context, version: '2.0' }, added);
    expect(fields.slice(2, 6)).toEqual(['cookie', 'a=1; b=2', 'via', '1.0 first, 1.1 second, 2.0 pets.test']);
  });

  it('have the host of the origin, and say nothing of a client that is gone', () => {
    const fields = requestFields(
      [],
      { ...context, client: null, serve: { kind: 'application', origin: 'o1' } },
      {
        ...added,
        hostHeader: 'app.internal',
      },
    );
    expect(fields.slice(0, 2)).toEqual(['host', 'app.internal']);
    expect(fields).not.toContain('x-forwarded-for');
    expect(fields).not.toContain('x-pets-metadata');
  });
});

it.each([
  ['10.0.0.1', ['X-Forwarded-For', '1.1.1.1, 2.2.2.2'], '2.2.2.2'],
  ['10.0.0.1', ['x-forwarded-for', '1.1.1.1', 'X-Forwarded-For', '2001:db8::1'], '2001:db8::1'],
  ['10.0.0.1', ['X-Forwarded-For', 'unknown'], '10.0.0.1'],
  ['10.0.0.1', [], '10.0.0.1'],
  ['10.0.0.2', ['X-Forwarded-For', '1.1.1.1'], '10.0.0.2'],
  [null, ['X-Forwarded-For', '1.1.1.1'], null],
])('the client of a connection from %s with %j is %s', (client, received, expected) => {
  expect(clientBehind(client, received, (address) => address === '10.0.0.1')).toBe(expected);
});

it.each([
  [['Via', '1.1 pets.test'], true],
  [['via', '1.1 other, HTTP/2.0  PETS.TEST (comment)'], true],
  [['via', '1.1 x.pets.test, 1.1 pets.test.example'], false],
  [['x-via', '1.1 pets.test'], false],
  [[], false],
])('a request has passed the platform before: %j, %s', (received, expected) => {
  expect(hasPassed(received, 'pets.test')).toBe(expected);
});
