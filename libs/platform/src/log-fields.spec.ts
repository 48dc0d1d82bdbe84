import { describe, expect, it } from '@jest/globals';
import { withLogFields } from './log-fields.js';
import { createLogger } from './logger.js';

function linesOf(): { lines: Record<string, unknown>[]; log: ReturnType<typeof createLogger> } {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line) as never) });
  return { lines, log };
}

describe('fields of log lines', () => {
  it('are carried by everything that a piece of work logs, however late, and by nothing else', async () => {
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

  it('add up', () => {
    const { lines, log } = linesOf();
    withLogFields({ requestId: 'one' }, () => withLogFields({ domainId: 'd' }, () => log.info('within')));
    withLogFields({ requestId: 'two' }, () => log.info('beside'));
    expect(lines).toMatchObject([{ requestId: 'one', domainId: 'd' }, { requestId: 'two' }]);
    expect(lines[1]).not.toHaveProperty('domainId');
  });

  it('give way to what the line says itself', () => {
    const { lines, log } = linesOf();
    withLogFields({ domainId: 'd' }, () => {
      log.info({ domainId: 'other' }, 'within');
      log.info('again');
    });
    expect(lines).toMatchObject([{ domainId: 'other' }, { domainId: 'd' }]);
  });
});
