import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { ApiError } from '../api/api.js';
import { strings } from '../strings.js';

interface ErrorAlertProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** The message of the API, or one sentence for each invalid field. */
export function ErrorAlert({ error, onRetry }: ErrorAlertProps) {
  return (
    <Alert color="red" variant="light" role="alert" title={strings.failures.title}>
      <Stack gap="xs" align="start">
        {messagesOf(error).map((message) => (
          <Text key={message}>{message}</Text>
        ))}
        {onRetry !== undefined && (
          <Button variant="default" size="xs" onClick={onRetry}>
            {strings.tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function messagesOf(error: Error): readonly string[] {
  return error instanceof ApiError && error.fieldErrors.length > 1 ? error.fieldErrors : [error.message];
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
      <Alert color="red" variant="light" role="alert" title={strings.failures.crashed}>
        {strings.failures.crashedHint}
      </Alert>
    );
  }
}
