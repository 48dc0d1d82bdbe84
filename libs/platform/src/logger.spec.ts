import { describe, expect, it } from '@jest/globals';
import { createLogger, withLogFields } from './logger.js';

function linesOf(): { lines: Record<string, unknown>[]; log: ReturnType<typeof createLogger> } {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line) as never) });
  return { lines, log };
}

describe('withLogFields', () => {
  it('adds fields to every line of its work, also after waits, and to no other line', async () => {
    const { lines, log } = linesOf();
    const work = (requestId: string) =>
      withLogFields({ requestId }, async () => {
        await new Promise(setImmediate);
        log.info('within');
      });
    await Promise.all([work('one'), work('two')]);
    log.info('outside');
    expect(lines.map(({ requestId }) => requestId)).toEqual(['one', 'two', undefined]);
  });

  it('adds to the fields of an outer call', () => {
    const { lines, log } = linesOf();
    withLogFields({ requestId: 'one' }, () => withLogFields({ domainId: 'd' }, () => log.info('within')));
    withLogFields({ requestId: 'two' }, () => log.info('beside'));
    expect(lines).toMatchObject([{ requestId: 'one', domainId: 'd' }, { requestId: 'two' }]);
    expect(lines[1]).not.toHaveProperty('domainId');
  });

  it('lets fields of the line win', () => {
    const { lines, log } = linesOf();
    withLogFields({ domainId: 'd' }, () => {
      log.info({ domainId: 'other' }, 'within');
      log.info('again');
    });
    expect(lines).toMatchObject([{ domainId: 'other' }, { domainId: 'd' }]);
  });
});
