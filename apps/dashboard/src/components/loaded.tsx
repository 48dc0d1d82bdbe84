import { Skeleton, Stack, Title } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isMissing } from '../api/api.js';
import type { PageOf } from '../api/paged-query.js';
import { strings } from '../strings.js';
import { ActionButton } from './form.js';
import { ErrorAlert } from './error.js';
import { Notice } from './notice.js';

interface LoadedProps<Value> {
  readonly query: UseQueryResult<Value>;
  /** Shown if there is no such resource, instead of the error. */
  readonly missing?: ReactNode;
  /** Shown while it loads, instead of the shape of any content. */
  readonly loading?: ReactNode;
  readonly children: (value: Value) => ReactNode;
}

/** The data of a query, or that it is loading, or its error. When a refresh fails, the data stays with a warning. */
export function Loaded<Value>({ query, missing, loading = <Loading />, children }: LoadedProps<Value>) {
  const retry = () => void query.refetch();
  if (query.data === undefined) {
    if (query.error === null) return loading;
    if (missing !== undefined && isMissing(query.error)) return missing;
    return <ErrorAlert error={query.error} onRetry={retry} />;
  }
  return (
    <>
      {query.error !== null && (
        <Notice tone="warning" role="status">
          {strings.failures.stale}
        </Notice>
      )}
      {children(query.data)}
    </>
  );
}

function Loading() {
  return (
    <Stack gap="sm" role="status" aria-label={strings.loading}>
      <Skeleton height={28} width="40%" />
      <Skeleton height={80} />
      <Skeleton height={80} />
    </Stack>
  );
}

/** A page whose content is not there yet. Its heading does not take the focus: that of the page will. */
export function LoadingPage({ title }: { readonly title: string }) {
  return (
    <Stack gap="md">
      <Title order={1} tabIndex={-1} className="page-title">
        {title}
      </Title>
      <Loading />
    </Stack>
  );
}

const SKELETON_ROWS = ['40%', '30%', '45%', '35%', '25%'] as const;

/** The shape of a list, so that nothing moves when its rows arrive. */
export function LoadingRows() {
  return (
    <div className="card" data-flush role="status" aria-label={strings.loading}>
      {SKELETON_ROWS.map((width) => (
        <div key={width} className="loading-row">
          <Skeleton height={12} width={width} />
          <Skeleton height={12} width="15%" />
        </div>
      ))}
    </div>
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
    return query.error === null ? <LoadingRows /> : <ErrorAlert error={query.error} onRetry={retry} />;
  const items = query.data.pages.flatMap((page) => page.items);
  const isUnfinished = items.length === 0 && query.hasNextPage;
  return (
    <>
      {isUnfinished ? (
        <Notice tone="neutral" role="status">
          {strings.noneYet}
        </Notice>
      ) : (
        children(items)
      )}
      {query.error !== null && <ErrorAlert error={query.error} onRetry={retry} />}
      {query.hasNextPage && (
        <div>
          <ActionButton
            variant="default"
            isBusy={query.isFetchingNextPage}
            busyLabel={strings.loading}
            onClick={() => void query.fetchNextPage()}
          >
            {isUnfinished ? strings.searchOn : strings.more}
          </ActionButton>
        </div>
      )}
    </>
  );
}
