import { describe, expect, it } from '@jest/globals';
import { nextCursor, readAllPages, type PageResponse } from './client.js';

function responseWith(link: string | null): Response {
  return new Response(null, link === null ? {} : { headers: { link } });
}

describe('nextCursor', () => {
  it.each([
    ['<https://api.example/v1/pets?limit=20&cursor=abc-_1>; rel="next"', 'abc-_1'],
    ['</v1/pets?cursor=x>; rel="next"', 'x'],
    ['</v1/pets>; rel="next"', null],
    ['</v1/docs>; rel="successor-version", </v1/pets?cursor=y>; rel="next"', 'y'],
    ['</v1/docs?cursor=z>; rel="successor-version"', null],
    [null, null],
  ])('of the Link header %s is %s', (link, cursor) => expect(nextCursor(responseWith(link))).toBe(cursor));
});

describe('readAllPages', () => {
  const pages = [
    { data: [1, 2], response: responseWith('<https://api.example/v1/projects?cursor=a>; rel="next"') },
    { data: [3], response: responseWith('</v1/projects?limit=2&cursor=b>; rel="next"') },
    { data: [4], response: responseWith(null) },
  ];

  function startReader() {
    const queries: object[] = [];
    const readPage = async (query: object): Promise<PageResponse<number>> => {
      queries.push(query);
      return pages[queries.length - 1] ?? { response: responseWith(null) };
    };
    return { queries, readPage };
  }

  it('follows the cursors to the last page', async () => {
    const { queries, readPage } = startReader();
    expect(await readAllPages(readPage)).toEqual([1, 2, 3, 4]);
    expect(queries).toEqual([{}, { cursor: 'a' }, { cursor: 'b' }]);
  });

  it('stops after the maximum number of pages', async () => {
    const { queries, readPage } = startReader();
    expect(await readAllPages(readPage, 2)).toEqual([1, 2, 3]);
    expect(queries).toHaveLength(2);
  });
});
