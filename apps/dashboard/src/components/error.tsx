import { Button } from '@mantine/core';
import { sentence } from '@pets/domain-setup';
import { Component, type ReactNode } from 'react';
import { ApiError, isOutage, useIsReachable } from '../api/api.js';
import { strings } from '../strings.js';
import { Notice } from './notice.js';

interface ErrorAlertProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** The message of the API, or one sentence for each invalid field. */
export function ErrorAlert({ error, onRetry }: ErrorAlertProps) {
  return (
    <Notice tone="critical" role="alert" title={strings.failures.title}>
      {messagesOf(error).map((message) => (
        <p key={message}>{message}</p>
      ))}
      {onRetry !== undefined && (
        <Button variant="default" size="xs" onClick={onRetry}>
          {strings.tryAgain}
        </Button>
      )}
    </Notice>
  );
}

/** The error of an action of the page. After an outage, it disappears when the API answers again. */
export function ActionError({ error }: { readonly error: Error | null }) {
  const isReachable = useIsReachable();
  if (error === null || (isOutage(error) && isReachable)) return null;
  return <ErrorAlert error={error} />;
}

function messagesOf(error: Error): readonly string[] {
  return error instanceof ApiError && error.fieldErrors.length > 1
    ? error.fieldErrors.map(({ message }) => sentence(message))
    : [withoutField(error)];
}

/** A message names the first field as the API calls it, which says nothing to people. */
function withoutField(error: Error): string {
  const [first] = error instanceof ApiError ? error.fieldErrors : [];
  return first === undefined ? error.message : sentence(first.message);
}

/** Keeps an error of one page from removing the navigation. React writes the error to the console. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly hasError: boolean }> {
  override state = { hasError: false };

  static getDerivedStateFromError() {
    return { hasError: true };
  }

  override render() {
    if (!this.state.hasError) return this.props.children;
    return (
      <Notice tone="critical" role="alert" title={strings.failures.crashed}>
        {strings.failures.crashedHint}
      </Notice>
    );
  }
}
