import { Alert, Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { strings } from '../strings.js';
import { Failure } from './failure.js';

interface LoadedProps<Value> {
  readonly query: UseQueryResult<Value>;
  readonly children: (value: Value) => ReactNode;
}

/** What was read, or that it is being read, or why it could not be. What is there already stays when reading again fails. */
export function Loaded<Value>({ query, children }: LoadedProps<Value>) {
  const retry = () => void query.refetch();
  if (query.data === undefined)
    return query.error === null ? <Loading /> : <Failure error={query.error} onRetry={retry} />;
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

/** Shapes where the content will be, and a word for those who do not see them. */
export function Loading() {
  return (
    <Stack gap="sm" role="status" aria-label={strings.loading}>
      <Skeleton height={28} width="40%" />
      <Skeleton height={80} />
      <Skeleton height={80} />
    </Stack>
  );
}
