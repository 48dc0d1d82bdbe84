import { describe, expect, it } from '@jest/globals';
import {
  apiErrorSchema,
  domainConfigSchema,
  domainJobs,
  edgeSessionMessageSchema,
  errorStatus,
  int64Schema,
  newPetSchema,
} from './index.js';

describe('int64', () => {
  it.each([
    [1, 1n],
    [-0, 0n],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n],
    [9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n],
    [-9_223_372_036_854_775_808n, -9_223_372_036_854_775_808n],
  ])('takes %p', (value, parsed) => expect(int64Schema.parse(value)).toBe(parsed));

  it.each([
    1.5,
    NaN,
    Infinity,
    9_007_199_254_740_992,
    9_223_372_036_854_775_808n,
    -9_223_372_036_854_775_809n,
    '1',
    true,
    null,
    undefined,
    {},
  ])('refuses %p', (value) => expect(int64Schema.safeParse(value).success).toBe(false));
});

it('an animal is available by default', () => {
  expect(newPetSchema.parse({ name: 'Rex', categoryId: 1 })).toEqual({
    name: 'Rex',
    categoryId: 1n,
    status: 'available',
  });
});

describe('errors', () => {
  it.each(Object.entries(errorStatus))('%s has a status of an error: %d', (code, status) => {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(apiErrorSchema.parse({ code, message: 'm', status })).toEqual({ code, message: 'm', status });
  });
});

it.each(Object.entries(domainJobs))(
  'the deadline of %s is shorter than its lease',
  (_name, { deadlineMs, leaseMs }) => {
    expect(deadlineMs).toBeLessThan(leaseMs);
  },
);

it.each([303, 300, '301', 200])('%p is no redirect status', (status) => {
  const config = { domains: { redirects: [{ from: 'a.example', to: 'b.example', status }] } };
  expect(domainConfigSchema.safeParse(config).success).toBe(false);
});

it('a feed message is unchanged after JSON serialization', () => {
  const message = {
    kind: 'batch',
    epoch: 'e',
    after: 0,
    version: 3,
    protocol: 1,
    thumbprint: null,
    platformCertificate: null,
    entries: [
      {
        host: 'a.example',
        version: 3,
        route: {
          answersChallenges: true,
          serve: { kind: 'redirect', to: 'b.example', status: 308 },
          certificateId: 'c',
        },
      },
    ],
  };
  expect(edgeSessionMessageSchema.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
});
