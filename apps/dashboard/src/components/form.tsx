import { Button, Group, Modal, NativeSelect, Stack, Text, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { strings } from '../strings.js';
import { ErrorAlert } from './error.js';

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
  /** For a form that validates its fields without the browser. */
  readonly noValidate?: boolean;
  readonly children: ReactNode;
}

/** Fields, the error of the last submit, and the submit button. */
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
        {action.error !== null && <ErrorAlert error={action.error} />}
        <Button type="submit" loading={action.isPending} disabled={disabled}>
          {label}
        </Button>
      </Stack>
    </form>
  );
}

/** A dialog whose close button has an accessible name. */
export function Dialog(props: ModalProps) {
  return <Modal {...props} closeButtonProps={{ 'aria-label': strings.close }} />;
}

interface ConfirmationProps {
  readonly text: string;
  /** The text of the button that confirms. */
  readonly label: string;
  readonly action: Action;
  readonly isDestructive?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** The content of a dialog that asks before an action. Cancel has the focus. */
export function Confirmation({ text, label, action, isDestructive, onConfirm, onCancel }: ConfirmationProps) {
  return (
    <Stack gap="md">
      <Text>{text}</Text>
      {action.error !== null && <ErrorAlert error={action.error} />}
      <Group justify="end">
        <Button variant="default" onClick={onCancel} data-autofocus>
          {strings.cancel}
        </Button>
        <Button color={isDestructive === true ? 'red' : undefined} loading={action.isPending} onClick={onConfirm}>
          {label}
        </Button>
      </Group>
    </Stack>
  );
}

interface StatusFilterProps<Status extends string> {
  readonly label: string;
  readonly statuses: readonly Status[];
  readonly labels: Readonly<Record<Status, string>>;
  /** Null: all. */
  readonly value: Status | null;
  readonly onChange: (status: Status | null) => void;
}

/** Limits a list to one status. */
export function StatusFilter<Status extends string>(props: StatusFilterProps<Status>) {
  const { label, statuses, labels, value, onChange } = props;
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      onChange={(event) => onChange(statuses.find((each) => each === event.currentTarget.value) ?? null)}
      data={[{ value: '', label: strings.all }, ...statuses.map((each) => ({ value: each, label: labels[each] }))]}
      maw="14rem"
    />
  );
}
