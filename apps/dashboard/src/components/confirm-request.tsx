import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Confirmation } from './form.js';

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
