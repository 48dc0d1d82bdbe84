import { describe, expect, it } from '@jest/globals';
import { resolveLimits } from './limits.service.js';

const settings = { RATE_LIMIT_PER_MINUTE: 1000, EVENT_STREAMS_PER_KEY: 100 };

describe('the limits of an organization', () => {
  it('are those of the rows', () => {
    expect(resolveLimits({ projects: 7, requestsPerMinute: 5, eventStreams: 3 }, settings)).toMatchObject({
      ...{ projects: 7, requestsPerMinute: 5, eventStreams: 3 },
    });
  });

  it('follow the settings where there are such and no row', () => {
    expect(resolveLimits({}, settings)).toMatchObject({ requestsPerMinute: 1000, eventStreams: 100 });
  });

  it('allow nothing without a row and a setting', () => {
    expect(resolveLimits({}, settings)).toMatchObject({ projects: 0, storageBytes: 0 });
  });

  it('do not limit requests where the setting is 0, whatever the rows say', () => {
    const off = { ...settings, RATE_LIMIT_PER_MINUTE: 0 };
    expect(resolveLimits({ requestsPerMinute: 5 }, off).requestsPerMinute).toBe(Infinity);
    expect(resolveLimits({}, off).requestsPerMinute).toBe(Infinity);
  });

  it('pass over names that this version does not know', () => {
    expect(resolveLimits({ wings: 2 }, settings)).not.toHaveProperty('wings');
  });
});
