import { describe, expect, it } from '@jest/globals';
import { rankEntries } from './search.js';

const entry = (id: string, title: string, detail = '', text = '') => ({ id, title, detail, text });
const entries = [
  entry('domain', 'Domain', '', 'has a certificate'),
  entry('getDomainCertificate', 'Get a domain’s certificates', 'GET /v1/certificate'),
  entry('listOrders', 'List orders', 'GET /v1/store/orders'),
];
const idsOf = (query: string) => rankEntries(entries, query).map(({ id }) => id);

describe('rankEntries', () => {
  it('prefers titles to texts', () => expect(idsOf('certificate')).toEqual(['getDomainCertificate', 'domain']));
  it('finds operations by id and address', () => {
    expect(idsOf('listorders')).toEqual(['listOrders']);
    expect(idsOf('get store')).toEqual(['listOrders']);
  });
  it('wants every word', () => expect(idsOf('orders certificate')).toEqual([]));
});
