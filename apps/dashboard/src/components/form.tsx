import { Button, Group, PasswordInput, Stack, Text, type ButtonProps, type PasswordInputProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { strings } from '../strings.js';
import { ActionError } from './error.js';

interface ActionButtonProps extends ButtonProps {
  readonly isBusy: boolean;
  /** Shown instead of the children while the action runs. */
  readonly busyLabel?: string;
  readonly type?: 'button' | 'submit';
  readonly onClick?: () => void;
  readonly autoFocus?: boolean;
  readonly 'aria-label'?: string;
  readonly children: ReactNode;
}

/** A button that keeps the focus while its action runs: a disabled one loses it. */
export function ActionButton({ isBusy, busyLabel, onClick, children, ...props }: ActionButtonProps) {
  return (
    <Button {...props} aria-disabled={isBusy || undefined} onClick={isBusy ? undefined : onClick}>
      {isBusy ? (busyLabel ?? children) : children}
    </Button>
  );
}

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

interface ConfirmRequestProps {
  readonly text: string;
  /** The text of the button that sends the request. */
  readonly label: string;
  readonly request: () => Promise<unknown>;
  readonly onDone: () => Promise<void>;
  readonly onCancel: () => void;
  /** A choice, between the text and the buttons. */
  readonly children?: ReactNode;
}

/** The content of a dialog that asks before a request that cannot be undone. */
export function ConfirmRequest({ text, label, request, onDone, onCancel, children }: ConfirmRequestProps) {
  const action = useMutation({ mutationFn: request, onSuccess: onDone });
  return (
    <Confirmation
      text={text}
      label={label}
      action={action}
      isDestructive
      onConfirm={() => action.mutate()}
      onCancel={onCancel}
    >
      {children}
    </Confirmation>
  );
}

/** A field for an API key, which no browser saves. Mantine does not mark the input of a password as invalid. */
export function KeyInput({ error, ...props }: PasswordInputProps) {
  const isInvalid = error !== undefined && error !== null;
  return (
    <PasswordInput
      {...props}
      error={error}
      aria-invalid={isInvalid || undefined}
      autoComplete="off"
      spellCheck={false}
      required
    />
  );
}
