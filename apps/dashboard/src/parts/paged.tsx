import { Button } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { strings } from '../strings.js';
import { Failure } from './failure.js';
import { Loading } from './loaded.js';

/** One page of a list, and where the next begins. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

interface PagedProps<Item> {
  readonly query: UseInfiniteQueryResult<InfiniteData<PageOf<Item>>>;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/** A list that is read page by page. */
export function Paged<Item>({ query, children }: PagedProps<Item>) {
  const retry = () => void query.refetch();
  if (query.data === undefined)
    return query.error === null ? <Loading /> : <Failure error={query.error} onRetry={retry} />;
  return (
    <>
      {children(query.data.pages.flatMap(({ items }) => items))}
      {query.error !== null && <Failure error={query.error} onRetry={retry} />}
      {query.hasNextPage && (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {strings.more}
        </Button>
      )}
    </>
  );
}
