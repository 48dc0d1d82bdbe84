import { Group, Modal, Stack, Text, type ModalProps } from '@mantine/core';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { strings } from '../strings.js';
import { ActionButton } from './form.js';

export interface DialogProps extends ModalProps {
  /** Only the content closes the dialog. */
  readonly isLocked?: boolean;
  /** Gets the focus back, where the dialog was opened from a menu that has disappeared. */
  readonly opener?: RefObject<HTMLElement | null>;
}

/** A dialog whose close button has an accessible name. It asks before it discards what was entered. */
export default function OpenedDialog({ opened, onClose, children, isLocked = false, opener, ...props }: DialogProps) {
  const [isMounted, setMounted] = useState(false);
  // It opens in an update, for which it keeps what had the focus.
  useEffect(() => setMounted(true), []);
  const [isTouched, setTouched] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const focused = useRef<Element | null>(null);
  const reset = () => {
    setTouched(false);
    setAsking(false);
  };
  const close = () => {
    reset();
    onClose();
  };
  const stay = () => setAsking(false);
  const requestClose = () => {
    if (isAsking) return stay();
    if (!isTouched) return close();
    focused.current = document.activeElement;
    setAsking(true);
  };
  useEffect(() => {
    // Back to the field that had the focus.
    if (!isAsking && focused.current instanceof HTMLElement) focused.current.focus();
  }, [isAsking]);
  useEffect(() => {
    if (opened) return () => opener?.current?.focus();
    reset();
  }, [opened, opener]);
  return (
    <Modal
      {...props}
      opened={opened && isMounted}
      onClose={requestClose}
      closeOnEscape={!isLocked}
      closeOnClickOutside={!isLocked && !isTouched}
      withCloseButton={!isLocked}
      closeButtonProps={{ 'aria-label': strings.close }}
      // Beside that of the page it would be another banner.
      attributes={{ header: { role: 'none' } }}
    >
      <div hidden={isAsking} onInput={() => setTouched(true)}>
        {children}
      </div>
      {isAsking && (
        <Stack gap="md">
          <Text>{strings.unsaved.dialog}</Text>
          <Group justify="end">
            <ActionButton isBusy={false} variant="default" onClick={stay} autoFocus>
              {strings.unsaved.stay}
            </ActionButton>
            <ActionButton isBusy={false} color="red" onClick={close}>
              {strings.unsaved.discard}
            </ActionButton>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
