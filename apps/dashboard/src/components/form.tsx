import { Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { strings } from '../strings.js';
import { ActionButton } from './action-button.js';
import { ActionError } from './error.js';

/** The parts of a TanStack mutation that a form shows. */
interface Action {
  readonly error: Error | null;
  readonly isPending: boolean;
}

interface ActionFormProps {
  /** The text of the button. */
  readonly label: string;
  readonly action: Action;
  readonly onSubmit: () => void;
  readonly disabled?: boolean;
  /** Whether a field shows the error of the last submit. */
  readonly isErrorAtField?: boolean;
  readonly children: ReactNode;
}

/**
 * Fields, the error of the last submit unless a field shows it, and the submit button. The browser does not validate: its
 * bubbles are not described to screen readers, and disappear. The first invalid field takes the focus.
 */
export function ActionForm({ label, action, onSubmit, disabled, isErrorAtField = false, children }: ActionFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [submits, setSubmits] = useState(0);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [action.error, submits]);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (action.isPending) return;
        onSubmit();
        setSubmits(submits + 1);
      }}
    >
      <Stack gap="md">
        {children}
        {!isErrorAtField && <ActionError error={action.error} />}
        <ActionButton type="submit" isBusy={action.isPending} busyLabel={strings.sending} disabled={disabled}>
          {label}
        </ActionButton>
      </Stack>
    </form>
  );
}

interface ConfirmationProps {
  readonly text: string;
  /** The text of the button that confirms. */
  readonly label: string;
  readonly action: Action;
  readonly isDestructive?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly children?: ReactNode;
}

/** The content of a dialog that asks before an action. Cancel has the focus. */
export function Confirmation({ text, label, action, isDestructive, onConfirm, onCancel, children }: ConfirmationProps) {
  return (
    <Stack gap="md">
      <Text>{text}</Text>
      {children}
      <ActionError error={action.error} />
      <Group justify="end">
        <ActionButton isBusy={false} variant="default" onClick={onCancel} data-autofocus>
          {strings.cancel}
        </ActionButton>
        <ActionButton color={isDestructive === true ? 'red' : undefined} isBusy={action.isPending} onClick={onConfirm}>
          {label}
        </ActionButton>
      </Group>
    </Stack>
  );
}
