import { describe, expect, it } from '@jest/globals';
import { fillRegions, regionsOf } from './regions.js';

const documentOf = (content: string) => `# Title\n\n<!-- begin one -->\n${content}<!-- end one -->\n\nThe end.\n`;

describe('regions of a document', () => {
  it('are listed by name, in order', () => {
    const text = `${documentOf('')}<!-- begin two -->\n<!-- end two -->\n`;
    expect(regionsOf(text)).toEqual(['one', 'two']);
  });

  it('are filled, and nothing else is touched', () => {
    expect(fillRegions(documentOf('old\n'), new Map([['one', 'new']]))).toBe(documentOf('\nnew\n\n'));
  });

  it.each([
    ['an id', '{"id":"00000000-0000-4000-8000-000000000001"}', '{"id":"00000000-0000-4000-8000-000000000002"}'],
    ['a time', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123Z'],
    ['a cursor', 'link: <…?limit=1&cursor=aB-1>', 'link: <…?limit=1&cursor=cD_2>'],
    ['what is left of a minute', 'ratelimit: "default";r=9;t=60', 'ratelimit: "default";r=9;t=58'],
    ['when to ask again', 'retry-after: 60', 'retry-after: 58'],
  ])('stay as they are where only %s differs', (_name, old, fresh) => {
    const document = documentOf(`\n${old}\n\n`);
    expect(fillRegions(document, new Map([['one', fresh]]))).toBe(document);
  });

  it.each([
    ['a status', 'HTTP/1.1 400 Bad Request', 'HTTP/1.1 404 Not Found'],
    ['a message', '{"message":"no"}', '{"message":"not now"}'],
    ['how many requests are left', 'ratelimit: "default";r=9;t=60', 'ratelimit: "default";r=8;t=60'],
  ])('change where %s does', (_name, old, fresh) => {
    expect(fillRegions(documentOf(`\n${old}\n\n`), new Map([['one', fresh]]))).toBe(documentOf(`\n${fresh}\n\n`));
  });

  it('refuse a document that wants what is not made', () => {
    expect(() => fillRegions(documentOf(''), new Map())).toThrow('nothing is made for the region one');
  });
});
