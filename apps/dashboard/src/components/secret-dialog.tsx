import { Button, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { strings } from '../strings.js';
import { CopyValue } from './copy.js';
import { Dialog } from './dialog.js';
import { Notice } from './notice.js';

interface SecretDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** Name of the secret. */
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

interface NewSecretProps {
  /** The subject of the accessible name of the copy button. */
  readonly what: string;
  readonly secret: string;
  /** The text of the only button that closes the dialog: "I have saved this key". */
  readonly confirm: string;
  readonly onClose: () => void;
}

/** A new secret, which the API returns only once. The dialog around it must be locked. */
export function NewSecret({ what, secret, confirm, onClose }: NewSecretProps) {
  return (
    <Stack gap="md">
      <Notice tone="warning" role="status" title={strings.secret.title}>
        {strings.secret.text}
      </Notice>
      <TextInput
        label={what}
        value={secret}
        readOnly
        classNames={{ input: 'value' }}
        data-secret
        onFocus={(event) => event.currentTarget.select()}
      />
      <div>
        <CopyValue what={what} value={secret} isFirst />
      </div>
      <Button variant="default" onClick={onClose}>
        {confirm}
      </Button>
    </Stack>
  );
}
