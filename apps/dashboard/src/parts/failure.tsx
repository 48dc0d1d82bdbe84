import { Alert, Button, Stack, Text } from '@mantine/core';
import { ApiFailure } from '../api/api-failure.js';
import { strings } from '../strings.js';

interface FailureProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** What went wrong, in the words of the API, and the way to try again. */
export function Failure({ error, onRetry }: FailureProps) {
  return (
    <Alert color="red" variant="light" role="alert" title={strings.failures.title}>
      <Stack gap="xs" align="start">
        {faultsOf(error).map((fault) => (
          <Text key={fault}>{fault}</Text>
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

function faultsOf(error: Error): readonly string[] {
  return error instanceof ApiFailure && error.faults.length > 1 ? error.faults : [error.message];
}
