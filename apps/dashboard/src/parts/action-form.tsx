import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Failure } from './failure.js';

interface ActionFormProps {
  /** What the button says. */
  readonly label: string;
  /** Of the mutation. */
  readonly action: { readonly error: Error | null; readonly isPending: boolean };
  readonly onSubmit: () => void;
  readonly disabled?: boolean;
  /** For a form that tells by itself what is wrong with what was typed. */
  readonly noValidate?: boolean;
  readonly children: ReactNode;
}

/** Fields, why it could not be done, and the button that does it. */
export function ActionForm({ label, action, onSubmit, disabled, noValidate, children }: ActionFormProps) {
  return (
    <form
      noValidate={noValidate}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack gap="md">
        {children}
        {action.error !== null && <Failure error={action.error} />}
        <Button type="submit" loading={action.isPending} disabled={disabled}>
          {label}
        </Button>
      </Stack>
    </form>
  );
}
