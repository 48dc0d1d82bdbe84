import { useState, type ReactNode } from 'react';
import { NewSecret } from './copy.js';
import { Dialog } from './dialog.js';

interface SecretDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What the secret is. */
  readonly what: string;
  /** The text of the button that confirms that it was saved. */
  readonly confirm: string;
  readonly form: (onCreated: (secret: string) => void) => ReactNode;
}

/** Creates something with a secret that is shown once. While it is shown, only its button closes the dialog. */
export function SecretDialog({ opened, onClose, title, what, confirm, form }: SecretDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => {
    setSecret(null);
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={title} isLocked={secret !== null}>
      {secret === null ? form(setSecret) : <NewSecret {...{ what, secret, confirm }} onClose={close} />}
    </Dialog>
  );
}
