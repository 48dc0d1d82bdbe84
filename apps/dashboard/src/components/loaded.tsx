import { Alert, Button, Skeleton, Stack } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PageOf } from '../api/paged-query.js';
import { strings } from '../strings.js';
import { ErrorAlert } from './error.js';

interface LoadedProps<Value> {
  readonly query: UseQueryResult<Value>;
  readonly children: (value: Value) => ReactNode;
}

/** The data of a query, or that it is loading, or its error. When a refresh fails, the data stays with a warning. */
export function Loaded<Value>({ query, children }: LoadedProps<Value>) {
  const retry = () => void query.refetch();
  if (query.data === undefined)
    return query.error === null ? <Loading /> : <ErrorAlert error={query.error} onRetry={retry} />;
  return (
    <>
      {query.error !== null && (
        <Alert color="yellow" variant="light" role="status">
          {strings.failures.stale}
        </Alert>
      )}
      {children(query.data)}
    </>
  );
}

export function Loading() {
  return (
    <Stack gap="sm" role="status" aria-label={strings.loading}>
      <Skeleton height={28} width="40%" />
      <Skeleton height={80} />
      <Skeleton height={80} />
    </Stack>
  );
}

interface PagedProps<Item> {
  readonly query: UseInfiniteQueryResult<InfiniteData<PageOf<Item>>>;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/** A list that loads page by page. */
export function Paged<Item>({ query, children }: PagedProps<Item>) {
  const retry = () => void query.refetch();
  if (query.data === undefined)
    return query.error === null ? <Loading /> : <ErrorAlert error={query.error} onRetry={retry} />;
  return (
    <>
      {children(query.data.pages.flatMap(({ items }) => items))}
      {query.error !== null && <ErrorAlert error={query.error} onRetry={retry} />}
      {query.hasNextPage && (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {strings.more}
        </Button>
      )}
    </>
  );
}
